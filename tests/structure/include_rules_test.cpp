// The folders of src/ include only what src/CMakeLists.txt says they may, so that, for example, results from a GPU
// machine can be compared on a laptop without the device code.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "build_paths.hpp"

namespace fs = std::filesystem;

namespace {

const fs::path source_root = fs::path(feedtune::build_paths::sources) / "src";

std::map<std::string, std::set<std::string>> read_rules() {
  std::map<std::string, std::set<std::string>> rules;
  std::ifstream file(feedtune::build_paths::include_rules);
  for (std::string line; std::getline(file, line);) {
    const auto colon = line.find(':');
    std::string rest = line.substr(colon + 1);
    for (char& c : rest)
      if (c == ';') c = ' ';
    std::istringstream words(rest);
    auto& allowed = rules[line.substr(0, colon)];
    for (std::string word; words >> word;) allowed.insert(word);
  }
  return rules;
}

std::vector<fs::path> sources(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const auto extension = entry.path().extension();
    if (extension == ".hpp" || extension == ".cpp" || extension == ".cu") files.push_back(entry.path());
  }
  return files;
}

std::string read(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

TEST(Structure, EveryFolderIncludesOnlyWhatItsDeclarationAllows) {
  const auto rules = read_rules();
  ASSERT_GE(rules.size(), 15u) << "no rules read from " << feedtune::build_paths::include_rules;
  const std::regex include("^\\s*#\\s*include\\s*\"([a-z_]+)/[^\"]*\"", std::regex::multiline);
  int checked = 0;
  for (const auto& [folder, allowed] : rules) {
    for (const auto& file : sources(source_root / folder)) {
      const std::string text = read(file);
      for (std::sregex_iterator it(text.begin(), text.end(), include), end; it != end; ++it) {
        const std::string target = (*it)[1];
        ++checked;
        if (target == folder || !rules.contains(target)) continue;
        EXPECT_TRUE(allowed.contains(target)) << file << " includes " << target << "/, which " << folder << " must not";
      }
    }
  }
  EXPECT_GT(checked, 50);
}

TEST(Structure, NlohmannStaysInJson) {
  for (const auto& file : sources(source_root)) {
    if (file.string().find("/src/json/") != std::string::npos) continue;
    EXPECT_EQ(read(file).find("nlohmann/"), std::string::npos) << file;
  }
}

TEST(Structure, OnlyCliPrintsExitsOrReadsTheEnvironment) {
  const std::regex forbidden("std::cout|std::cerr|\\bprintf\\(|\\bfprintf\\(|fmt::print\\(|\\bgetenv\\(|std::exit\\(|[^_a-z]exit\\(");
  for (const auto& file : sources(source_root)) {
    if (file.string().find("/src/cli/") != std::string::npos) continue;
    const std::string text = read(file);
    std::istringstream lines(text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      const auto comment = line.find("//");
      const std::string code = line.substr(0, comment);
      EXPECT_FALSE(std::regex_search(code, forbidden)) << file << ":" << number << ": " << line;
    }
  }
}

TEST(Structure, EveryKindOfNoteIsDescribedWhereResultsAre) {
  const std::regex noted("note\\(\"([a-z_]+)\"|\\.kind = \"([a-z_]+)\"");
  std::set<std::string> kinds;
  for (const char* folder : {"sweep", "store", "cli"})
    for (const auto& file : sources(source_root / folder)) {
      if (file.filename() == "resume.cpp") continue;  // its note() names a difference between two specs
      const std::string text = read(file);
      for (std::sregex_iterator it(text.begin(), text.end(), noted), end; it != end; ++it)
        kinds.insert((*it)[1].matched ? (*it)[1].str() : (*it)[2].str());
    }
  EXPECT_GE(kinds.size(), 5u);
  std::smatch row;
  const std::string description = read(fs::path(feedtune::build_paths::sources) / "results" / "README.md");
  ASSERT_TRUE(std::regex_search(description, row, std::regex("\\| `notes` \\| \\| what a reader has to know: `kind` \\(([a-z_, ]+)\\)")));
  std::set<std::string> described;
  const std::string list = row[1];
  const std::regex word("[a-z_]+");
  for (std::sregex_iterator it(list.begin(), list.end(), word), end; it != end; ++it) described.insert(it->str());
  EXPECT_EQ(kinds, described);
}

TEST(SlowStructure, EveryHeaderCompilesAlone) {
  for (const auto& file : sources(source_root)) {
    if (file.extension() != ".hpp") continue;
    const std::string command =
        std::string(feedtune::build_paths::compiler) + " -std=c++20 -fsyntax-only -x c++ -Wno-pragma-once-outside-header -I" +
        source_root.string() + " " + file.string() + " 2>&1";
    EXPECT_EQ(std::system(command.c_str()), 0) << file;
  }
}
