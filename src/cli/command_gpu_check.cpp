#include <fmt/format.h>

#include <filesystem>
#include <iostream>
#include <sstream>

#include "cli/commands.hpp"
#include "cli/cuda_probe.hpp"
#include "cli/exit_codes.hpp"
#include "cli/gpu_check_figures.hpp"
#include "cli/version.hpp"
#include "core/enums.hpp"
#include "core/error.hpp"
#include "core/read_file.hpp"
#include "core/single_line.hpp"
#include "json/gpu_check_json.hpp"
#include "machine/facts.hpp"
#include "machine/fingerprint.hpp"
#include "store/file.hpp"

namespace feedtune {
namespace {

namespace fs = std::filesystem;

/// The last line of what a part printed.
std::string last_line(const std::string& path) {
  std::istringstream lines(fs::exists(path) ? read_file(path) : "");
  std::string line, last;
  while (std::getline(lines, line))
    if (line.find_first_not_of(" \t\r") != std::string::npos) last = line;
  return single_line(last);
}

/// A line of parts.txt: "copies 0 3120 50" ("SIGTERM" where the script was stopped in it), or "memcheck skip 0 70 WHY": name, exit code, milliseconds, limit in seconds.
CheckPart read_part(const std::string& line, const std::string& folder, GpuCheck& check) {
  std::istringstream words(line);
  CheckPart part;
  std::string code, rest;
  double milliseconds = 0;
  if (!(words >> part.name >> code >> milliseconds >> part.limit_s)) throw InputError(folder + "/parts.txt", "not a part: " + line);
  std::getline(words >> std::ws, rest);
  part.seconds = milliseconds / 1000;
  if (code == "skip") {
    part.status = PartStatus::skipped;
    part.reason = single_line(rest);
    return part;
  }
  const std::string fault = take_figures(folder, part.name, check);  // also of one that failed: what it got done counts
  if (code == "124" || code == "137") {
    part.status = PartStatus::timeout;
    part.reason = fmt::format("not done after {} s", part.limit_s);
  } else if (code.starts_with("SIG")) {
    part.status = PartStatus::failed;
    part.reason = "stopped by " + code;
  } else if (code != "0" || !fault.empty()) {
    part.status = PartStatus::failed;
    const std::string said = last_line((fs::path(folder) / (part.name + ".log")).string());
    part.reason = code == "0" ? fault : fmt::format("exit code {}: {}", code, fault.empty() || fault.starts_with("left no figures") ? said : fault);
  }
  return part;
}

}  // namespace

int run_command(const GpuCheckArguments& arguments) {
  GpuCheck check;
  if (const auto file = fs::path(arguments.folder) / "started.txt"; fs::exists(file)) check.started = last_line(file.string());
  else check.unknown["started"] = "the parts hold no started.txt";
  check.tool = tool_facts();
  check.machine = machine_facts(arguments.folder);
  check.device = cuda_probe().facts;
  add_fingerprint(check.machine, check.device, check.tool);
  std::istringstream lines(read_file((fs::path(arguments.folder) / "parts.txt").string()));
  bool failed = false;
  for (std::string line; std::getline(lines, line);) {
    const CheckPart& part = check.parts.emplace_back(read_part(line, arguments.folder, check));
    failed = failed || part.status == PartStatus::failed || part.status == PartStatus::timeout;
    std::cout << fmt::format("{:<14} {:<8} {:>6.1f} s  {}\n", part.name, to_text(part.status), part.seconds, part.reason);
  }
  const std::string text = encode(check);
  try {
    replace_file(arguments.out, text);
  } catch (const IoError&) {
    std::cout << text;  // what minutes on a GPU gave is not lost with a full disk
    throw;
  }
  return failed ? exit_code::finished_with_failures : exit_code::ok;
}

}  // namespace feedtune
