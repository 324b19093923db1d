#pragma once
// trials.jsonl: one record a line, each on the disk before the next is begun.

#include <sys/types.h>

#include <string>
#include <string_view>

#include "store/file.hpp"
#include "store/run_folder.hpp"

namespace feedtune {

/// Appends records to a journal. For one writer (the run's lock sees to it).
class JournalWriter {
 public:
  /// Opens an existing journal and cuts it to `whole_bytes`. Throws IoError.
  JournalWriter(std::string path, off_t whole_bytes, const FileCalls& calls);
  /// Writes `line` and a newline in one piece and waits until they are on the disk. When it throws IoError, the record
  /// has been cut off again (or will be, before the next one, where the disk refuses even that): the journal stays valid.
  void append(std::string_view line);

 private:
  [[noreturn]] void undo(const char* operation, int error);
  void cut();

  std::string path_;
  const FileCalls* calls_;
  FileHandle file_;
  off_t whole_bytes_;      ///< length of the records that are known to be on the disk
  bool cut_needed_ = true;  ///< something may stand behind them
};

struct ReadJournal {
  JournalContent content;
  off_t whole_bytes = 0;  ///< up to the end of the last whole record
};

/// A last record that was cut off is left out; anything else that is no record is an InputError with its line, as are
/// a missing header and a trial id that comes twice. Needs no lock: a sweep may be appending meanwhile.
ReadJournal read_journal(const std::string& path);

}  // namespace feedtune
