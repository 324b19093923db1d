#include "store/journal.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "json/journal_json.hpp"
#include "store_fixture.hpp"

namespace feedtune {
namespace {

using namespace feedtune::testing;
using ::testing::HasSubstr;

std::string error_of(const std::string& path) {
  try {
    read_journal(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Journal, TornAtAnyByteOfItsLastThreeRecordsItLosesOnlyThose) {
  const MemoryFolder temporary;
  const std::string path = temporary / "run";
  std::vector<std::size_t> ends;  // of the header and of each trial
  std::string whole;
  {
    RunFolder folder = RunFolder::create(path, header());
    ends.push_back(read(path + "/trials.jsonl").size());
    for (int id = 1; id <= 5; ++id) {
      folder.append(trial(id));
      ends.push_back(read(path + "/trials.jsonl").size());
    }
    whole = read(path + "/trials.jsonl");
  }
  for (std::size_t size = ends[2]; size <= whole.size(); ++size) {
    write(path + "/trials.jsonl", whole.substr(0, size));
    std::size_t kept = 0;
    while (kept + 1 < ends.size() && ends[kept + 1] <= size) ++kept;
    const bool torn = size != ends[kept];
    const ReadJournal journal = read_journal(path + "/trials.jsonl");
    ASSERT_EQ(journal.content.torn.has_value(), torn) << size;
    ASSERT_EQ(journal.content.run.trials.size(), kept) << size;
    if (size % 16 != 0 && size + 2 < whole.size()) continue;  // going on from there takes longer to try
    JournalContent content;
    {
      RunFolder folder = RunFolder::resume(path, content);
      ASSERT_EQ(content.torn.has_value(), torn) << size;
      ASSERT_EQ(content.run.trials.size(), kept) << size;
      ASSERT_EQ(read(path + "/trials.jsonl"), whole.substr(0, ends[kept])) << size;
      folder.append(trial(100));
    }
    ASSERT_EQ(load_run(path).trials.size(), kept + 1) << size;
  }
}

TEST(Journal, ALastRecordWhoseBeginningNeverReachedTheDiskIsTorn) {
  const MemoryFolder temporary;
  const std::string lines = journal_line(header()) + "\n" + journal_line(trial(1)) + "\n";
  write(temporary / "j", lines + std::string(300, '\0') + "],\"unknown\":{}}\n");
  const ReadJournal journal = read_journal(temporary / "j");
  EXPECT_EQ(journal.content.run.trials.size(), 1u);
  EXPECT_EQ(static_cast<std::size_t>(journal.whole_bytes), lines.size());
  EXPECT_THAT(journal.content.torn.value(), HasSubstr("j:3: the last record was cut off"));
}

TEST(Journal, DamageInTheMiddleIsNamedByItsLineAndNothingIsGuessed) {
  const MemoryFolder temporary;
  const std::string path = temporary / "j";
  const std::string head = journal_line(header()) + "\n", one = journal_line(trial(1)) + "\n", two = journal_line(trial(2)) + "\n";
  write(path, head + one + "rubbish\n" + two);
  EXPECT_THAT(error_of(path), HasSubstr("j:3:1"));
  write(path, head + one + "\n" + two);
  EXPECT_THAT(error_of(path), HasSubstr("j:3:1"));
  write(path, head + one + std::string(20, '\0') + "\n" + two);
  EXPECT_THAT(error_of(path), HasSubstr("j:3:1: a NUL byte"));
  write(path, head + one + head + two);
  EXPECT_THAT(error_of(path), HasSubstr("j:3: a second header"));
  write(path, head + one + two + one);
  EXPECT_THAT(error_of(path), HasSubstr("j:4: trial 1 stands twice"));
  write(path, head + one + "{\"type\":\"trial\"}\n");
  EXPECT_THAT(error_of(path), HasSubstr("j:3: \"id\" is missing")) << "JSON that is whole was not torn";
  write(path, head + "{\"type\":\"song\"}\n" + one);
  EXPECT_THAT(error_of(path), HasSubstr("j:2: type: got \"song\", want run, trial, note"));
  write(path, one + two);
  EXPECT_THAT(error_of(path), HasSubstr("j:1: no header"));
  write(path, "");
  EXPECT_THAT(error_of(path), HasSubstr("holds no whole header"));
  write(path, head.substr(0, 40));
  EXPECT_THAT(error_of(path), HasSubstr("holds no whole header"));
}

TEST(Journal, AnotherToolsOrANewerJournalIsRefused) {
  const MemoryFolder temporary;
  std::string head = journal_line(header()) + "\n";
  const auto with = [&](const std::string& what, const std::string& by) {
    std::string text = head;
    text.replace(text.find(what), what.size(), by);
    write(temporary / "j", text);
    return error_of(temporary / "j");
  };
  EXPECT_THAT(with("feedtune.journal", "other.journal"), HasSubstr("schema: got \"other.journal\", want \"feedtune.journal\""));
  EXPECT_THAT(with("\"0.1\"", "\"1.0\""), HasSubstr("written by a newer feedtune (schema 1.0"));
  EXPECT_EQ(with("\"0.1\"", "\"0.9\""), "accepted");
}

}  // namespace
}  // namespace feedtune
