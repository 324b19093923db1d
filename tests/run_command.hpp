#pragma once
// A command as a user types it, and what came of it.

#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "temporary_folder.hpp"

namespace feedtune::test {

struct Outcome {
  int code = -1;  ///< exit code, or 128 + signal
  std::string out, err;
  double seconds = 0;
};

inline std::string read(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// By the shell. What it prints lies in the files stdout and stderr of `folder` until the next one.
inline Outcome run_command(const std::string& command, const std::filesystem::path& folder) {
  const std::filesystem::path out = folder / "stdout", err = folder / "stderr";
  const auto begin = std::chrono::steady_clock::now();
  const int status = std::system(("{ " + command + "\n} >'" + out.string() + "' 2>'" + err.string() + "'").c_str());
  return {.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
          .out = read(out),
          .err = read(err),
          .seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()};
}

/// What it prints is in `out`, standard error too.
inline Outcome run(const std::string& command) {
  const TemporaryFolder folder;
  return run_command("{ " + command + "\n} 2>&1", folder.path());
}

}  // namespace feedtune::test
