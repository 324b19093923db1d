#include "store/journal.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <set>

#include "core/error.hpp"
#include "core/read_file.hpp"
#include "json/journal_json.hpp"
#include "json/value.hpp"

namespace feedtune {
namespace {

constexpr std::size_t journal_max_bytes = std::size_t{1} << 30;

bool is_json(std::string_view line) {
  try {
    parse_json(line, {});
    return true;
  } catch (const InputError&) {
    return false;
  }
}

/// Adds the records of a journal to a run, one after the other.
class Collector {
 public:
  explicit Collector(const std::string& path) : path_(path) {}

  void add(std::string_view line, int number) {
    std::visit([&](auto&& record) { take(std::move(record), number); }, decode_journal_line(line, path_, number));
  }

  Run run;

 private:
  void take(Run&& header, int number) {
    if (number != 1) throw InputError(at(number), "a second header, want trials and notes after the first line");
    run = std::move(header);
  }
  void take(TrialResult&& trial, int number) {
    need_header(number);
    if (!ids_.insert(trial.id).second) throw InputError(at(number), fmt::format("trial {} stands twice", trial.id));
    run.trials.push_back(std::move(trial));
  }
  void take(RunNote&& note, int number) {
    need_header(number);
    run.notes.push_back(std::move(note));
  }
  void need_header(int number) const {
    if (number == 1) throw InputError(at(number), "no header, want a record of type \"run\" first");
  }
  std::string at(int number) const { return fmt::format("{}:{}", path_, number); }

  std::string path_;
  std::set<std::int64_t> ids_;
};

}  // namespace

JournalWriter::JournalWriter(std::string path, off_t whole_bytes, const FileCalls& calls)
    : path_(std::move(path)), calls_(&calls), file_(open_file(path_, O_WRONLY | O_APPEND, calls)), whole_bytes_(whole_bytes) {
  cut();
  if (const int error = sync_data(file_.fd(), *calls_)) throw IoError(path_, "sync", error);
}

void JournalWriter::append(std::string_view line) {
  if (cut_needed_) cut();
  std::string record(line);
  record += '\n';
  cut_needed_ = true;
  if (const int error = write_whole(file_.fd(), record, *calls_)) undo("append to", error);
  if (const int error = sync_data(file_.fd(), *calls_)) undo("sync", error);
  struct stat status {};
  if (::fstat(file_.fd(), &status) != 0 || status.st_nlink == 0) undo("append to", ENOENT);  // removed under us
  cut_needed_ = false;
  whole_bytes_ += static_cast<off_t>(record.size());
}

void JournalWriter::undo(const char* operation, int error) {
  try {
    cut();
  } catch (const IoError&) {
    // The first error is the one to tell; the next append cuts again before it writes.
  }
  throw IoError(path_, operation, error);
}

void JournalWriter::cut() {
  while (calls_->ftruncate(file_.fd(), whole_bytes_) != 0)
    if (errno != EINTR) throw IoError(path_, "cut to its whole records", errno);
  cut_needed_ = false;
}

ReadJournal read_journal(const std::string& path) {
  const std::string text = read_file(path, journal_max_bytes);
  ReadJournal journal;
  Collector collector(path);
  std::size_t start = 0;
  int number = 0;
  const auto tear = [&](std::size_t bytes) {
    journal.content.torn = fmt::format("{}:{}: the last record was cut off after {} bytes and is left out", path, number, bytes);
  };
  while (start < text.size()) {
    ++number;
    const auto end = text.find('\n', start);
    if (end == std::string::npos) {
      tear(text.size() - start);
      break;
    }
    const auto line = std::string_view(text).substr(start, end - start);
    try {
      collector.add(line, number);
    } catch (const InputError&) {
      // After a power cut, a record that was never synced can have its end on the disk and not its beginning.
      if (end + 1 != text.size() || number == 1 || is_json(line)) throw;
      tear(line.size() + 1);
      break;
    }
    start = end + 1;
  }
  if (start == 0) throw InputError(path, "holds no whole header: no run to go on with");
  journal.content.run = std::move(collector.run);
  journal.whole_bytes = static_cast<off_t>(start);
  return journal;
}

}  // namespace feedtune
