#include <filesystem>
#include <iostream>

#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/files.hpp"
#include "core/error.hpp"
#include "json/run_json.hpp"
#include "store/run_folder.hpp"

namespace feedtune {

int run_command(const ValidateArguments& arguments) {
  namespace fs = std::filesystem;
  const fs::path path = arguments.file;
  const fs::path result = fs::is_directory(path) ? path / "result.json" : path;
  if (fs::is_directory(path) && !fs::exists(result)) {
    const Run run = load_run(arguments.file);
    std::cout << arguments.file << ": a journal of " << run.trials.size() << " trials, no result.json\n";
    return exit_code::ok;
  }
  if (result.extension() == ".jsonl") {
    const Run run = load_run(result.string());
    std::cout << result.string() << ": a journal of " << run.trials.size() << " trials\n";
    return exit_code::ok;
  }
  const auto problems = validate_result(read_file(result.string()), result.string());
  if (problems.empty()) {
    std::cout << result.string() << ": valid\n";
    return exit_code::ok;
  }
  for (const auto& problem : problems) std::cerr << "feedtune: " << problem << '\n';
  return exit_code::bad_input;
}

}  // namespace feedtune
