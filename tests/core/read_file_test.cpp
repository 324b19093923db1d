#include "core/read_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "core/error.hpp"

using namespace feedtune;
namespace fs = std::filesystem;

namespace {

class ReadFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("feedtune-read-file-" + std::to_string(::getpid()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string place(const char* name) const { return (folder_ / name).string(); }

  fs::path folder_;
};

}  // namespace

TEST_F(ReadFile, GivesEveryByte) {
  std::string text(200'000, 'a');
  text[7] = '\0';
  std::ofstream(place("file"), std::ios::binary) << text;
  EXPECT_EQ(read_file(place("file")), text);
  EXPECT_EQ(read_file(place("file"), text.size()), text);
  EXPECT_FALSE(read_file("/proc/self/status").empty()) << "whose size is said to be 0";
}

TEST_F(ReadFile, WhatIsNoSuchFileIsNamed) {
  std::ofstream(place("file")) << "four";
  ASSERT_EQ(::mkfifo(place("fifo").c_str(), 0600), 0);
  EXPECT_THROW(read_file(place("missing")), InputError);
  EXPECT_THROW(read_file(place("file") + "/below"), InputError);
  EXPECT_THROW(read_file(folder_.string()), InputError);
  EXPECT_THROW(read_file(place("fifo")), InputError) << "and does not wait for a writer";
  EXPECT_THROW(read_file(place("file"), 3), InputError);
  EXPECT_THROW(read_file(place(std::string(300, 'x').c_str())), IoError);
}

TEST_F(ReadFile, APartIsWholeOrEndsWithTheFile) {
  std::ofstream(place("part"), std::ios::binary) << "0123456789";
  const int file = open_to_read(place("part"));
  ASSERT_GE(file, 0);
  std::byte into[6] = {};
  EXPECT_EQ(read_at(file, into, 2), 6);
  EXPECT_EQ(into[5], std::byte{'7'});
  EXPECT_EQ(read_at(file, into, 7), 3);
  EXPECT_EQ(into[2], std::byte{'9'});
  EXPECT_EQ(read_at(file, into, 50), 0);
  ::close(file);
  EXPECT_EQ(read_at(file, into, 0), -1);
}
