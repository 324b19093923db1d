// A file that several want to write, each its own.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>
#include <string>

#include "core/error.hpp"
#include "run_command.hpp"
#include "store/file.hpp"
#include "temporary_folder.hpp"

namespace feedtune {
namespace {

namespace fs = std::filesystem;

TEST(CreateFile, WhatIsThereIsKept) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "a.json";
  create_file(path, "first");
  try {
    create_file(path, "second");
    FAIL() << "the first one's work is gone";
  } catch (const IoError& error) {
    EXPECT_EQ(error.error_number(), EEXIST);
  }
  EXPECT_EQ(test::read(path), "first");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator()), 1) << "nothing is left beside it";
}

TEST(CreateFile, OfManyWhoWriteAtOnceOneWinsWhole) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "a.json";
  constexpr int writers = 8;
  constexpr std::size_t bytes = 1 << 20;
  int begin[2];
  ASSERT_EQ(::pipe(begin), 0);
  pid_t children[writers];
  for (int i = 0; i < writers; ++i) {
    children[i] = ::fork();
    if (children[i] != 0) continue;
    ::close(begin[1]);
    char byte;
    (void)!::read(begin[0], &byte, 1);  // until all are there
    try {
      create_file(path, std::string(bytes, static_cast<char>('a' + i)));
      ::_exit(0);
    } catch (const IoError& error) {
      ::_exit(error.error_number() == EEXIST ? 1 : 2);
    }
  }
  ::close(begin[1]);
  int won = 0;
  for (const pid_t child : children) {
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_LT(WEXITSTATUS(status), 2) << "another's temporary file was in its way";
    if (WEXITSTATUS(status) == 0) ++won;
  }
  ::close(begin[0]);
  EXPECT_EQ(won, 1);
  const std::string text = test::read(path);
  ASSERT_EQ(text.size(), bytes);
  EXPECT_EQ(text, std::string(bytes, text[0])) << "two wrote into it";
}

}  // namespace
}  // namespace feedtune
