#include <filesystem>
#include <iostream>
#include <system_error>

#include "cli/commands.hpp"
#include "cli/devices.hpp"
#include "cli/exit_codes.hpp"
#include "core/error.hpp"
#include "core/read_file.hpp"
#include "core/counted.hpp"
#include "core/single_line.hpp"
#include "json/device_profile_json.hpp"
#include "json/run_json.hpp"
#include "pipeline/packed_folder.hpp"
#include "pipeline/packed_verify.hpp"
#include "store/run_folder.hpp"

namespace feedtune {

namespace {

int validate_pack(const std::string& folder) {
  const DataFacts facts = ImageList::from_path(folder).facts();  // refuses an unfinished one
  const auto problems = verify_pack(folder);
  if (problems.empty()) {
    std::cout << single_line(folder) << ": a pack of " << counted(facts.images, "image") << ", every checksum right\n";
    return exit_code::ok;
  }
  for (const auto& problem : problems) std::cerr << "feedtune: " << single_line(problem) << '\n';
  return exit_code::bad_input;
}

}  // namespace

int run_command(const ValidateArguments& arguments) {
  namespace fs = std::filesystem;
  const fs::path path = arguments.file;
  if (packed_folder_state(arguments.file) != PackedFolder::none) return validate_pack(arguments.file);
  if (is_part_of_pack(arguments.file)) throw InputError(arguments.file, part_of_pack);
  std::error_code unseen;  // what can't be looked at is reported by what reads it
  const bool folder = fs::is_directory(path, unseen);
  const fs::path result = folder ? path / "result.json" : path;
  if (folder && !fs::exists(result, unseen)) {
    const Run run = load_run(arguments.file);
    std::cout << single_line(arguments.file) << ": a journal of " << counted(std::ssize(run.trials), "trial") << ", no result.json\n";
    return exit_code::ok;
  }
  if (result.extension() == ".jsonl") {
    const Run run = load_run(result.string());
    std::cout << single_line(result.string()) << ": a journal of " << counted(std::ssize(run.trials), "trial") << "\n";
    return exit_code::ok;
  }
  const std::string text = read_file(result.string());
  if (is_device_profile(text)) {
    const DeviceProfile profile = profile_of(text, result.string());
    std::cout << single_line(result.string()) << ": valid, the profile of " << single_line(profile.title) << '\n';
    return exit_code::ok;
  }
  const auto problems = validate_result(text, result.string());
  if (problems.empty()) {
    std::cout << single_line(result.string()) << ": valid\n";
    return exit_code::ok;
  }
  for (const auto& problem : problems) std::cerr << "feedtune: " << single_line(problem) << '\n';
  return exit_code::bad_input;
}

}  // namespace feedtune
