#include "pipeline/file_log.hpp"

#include <gtest/gtest.h>

namespace feedtune {
namespace {

TEST(ImageFileLog, AFileThatFailsInEveryEpochIsOneFile) {
  FileLog log;
  for (int i = 0; i < 30; ++i) log.damaged("damaged" + std::to_string(i), "cut off", Nanoseconds{1});  // fill the notes
  for (int epoch = 0; epoch < 10; ++epoch)
    for (const char* name : {"a.jpg", "b.jpg"}) log.failed(name, "broken", Nanoseconds{1});
  EXPECT_EQ(log.counts().failed, 20);
  EXPECT_EQ(log.failed_files(), 2);
  log.clear();
  EXPECT_EQ(log.failed_files(), 0);
  for (int i = 0; i < 50; ++i) log.failed("bad" + std::to_string(i), "broken", Nanoseconds{1});
  EXPECT_EQ(log.failed_files(), static_cast<std::int64_t>(FileLog::most_bad)) << "no list of a million names";
}

}  // namespace
}  // namespace feedtune
