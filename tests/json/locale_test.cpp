// A German or French desktop writes 0,02. No locale of the process or of C++ may change a number in a file.

#include <gtest/gtest.h>

#include <clocale>
#include <cstdlib>
#include <filesystem>
#include <locale>

#include "core/parse.hpp"
#include "full_run.hpp"
#include "json/run_json.hpp"
#include "json/spec_file.hpp"
#include "json/value.hpp"

namespace feedtune {
namespace {

struct CommaFacet : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return '.'; }
  std::string do_grouping() const override { return "\3"; }
};

void expect_points_everywhere() {
  EXPECT_EQ(compact_text({.data = 1234567.25}), "1234567.25");
  EXPECT_EQ(compact_text({.data = std::int64_t{1234567}}), "1234567");
  EXPECT_EQ(std::get<double>(parse_json("1234567.25", "f").data), 1234567.25);
  EXPECT_EQ(decode_spec(R"({"within": 0.02, "trial_time": "2.5s"})", "f").trial_time_s, 2.5);
  EXPECT_EQ(parse_share("1.5%", "f"), 0.015);
  const std::string text = encode(testing::full_run());
  EXPECT_NE(text.find("\"mean\": 812.5"), std::string::npos);
  EXPECT_EQ(encode(decode_run(text, "f")), text);
}

TEST(Locale, OfCppChangesNoNumber) {
  const std::locale before = std::locale::global(std::locale(std::locale::classic(), new CommaFacet));
  expect_points_everywhere();
  std::locale::global(before);
}

TEST(SlowLocale, OfTheProcessChangesNoNumber) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  const auto folder = std::filesystem::path(::testing::TempDir()) / "feedtune_locales";
  const char* found = nullptr;
  const auto look = [&] {
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"})
      if (found == nullptr && std::setlocale(LC_ALL, name) != nullptr) found = name;
  };
  look();
  if (found == nullptr) {
    std::filesystem::create_directories(folder);
    const std::string command = "localedef -i de_DE -f UTF-8 '" + (folder / "de_DE.UTF-8").string() + "' 2>/dev/null";
    if (std::system(command.c_str()) == 0) {
      ::setenv("LOCPATH", folder.c_str(), 1);
      look();
      ::unsetenv("LOCPATH");
    }
  }
  if (found != nullptr) {
    EXPECT_STREQ(std::localeconv()->decimal_point, ",");
    expect_points_everywhere();
  }
  std::setlocale(LC_ALL, before.c_str());
  std::filesystem::remove_all(folder);
  if (found == nullptr) GTEST_SKIP() << "no locale with a decimal comma is installed and none can be made (apt: locales)";
}

}  // namespace
}  // namespace feedtune
