#pragma once
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace feedtune::test {

struct Outcome {
  int code = -1;
  std::string out;  ///< standard output and standard error
};

inline std::string text_of(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

/// By the shell.
inline Outcome run(const std::string& command) {
  const auto said = std::filesystem::path(testing::TempDir()) / ("said-" + std::to_string(::getpid()));
  const int status = std::system(("{ " + command + "; } >" + said.string() + " 2>&1").c_str());
  const Outcome outcome{WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), text_of(said)};
  std::filesystem::remove(said);
  return outcome;
}

}  // namespace feedtune::test
