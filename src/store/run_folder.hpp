#pragma once
// A run on disk: a folder with trials.jsonl (journal), result.json and a lock.

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/run.hpp"

namespace feedtune {

struct FileCalls;
const FileCalls& system_file_calls();

/// What a journal held. `torn` names a last record that was cut off (dropped, the rest is whole).
struct JournalContent {
  Run run;  ///< trials, notes and the header; no recommendation
  std::optional<std::string> torn;
};

/// Owns a run folder while it is written. Every append is on the disk (fdatasync) before it returns.
class RunFolder {
 public:
  /// Creates `path` (parents too) and its journal with the run's header. Throws RunInUseError when another live
  /// process holds it, InputError when it already has a run or anything else in it, IoError when the system refuses.
  static RunFolder create(const std::string& path, const Run& header, const FileCalls& calls = system_file_calls());
  /// Opens an existing run to go on with it; reads what is there and cuts off a torn last record. Same errors;
  /// InputError where there is no run or its journal is damaged.
  static RunFolder resume(const std::string& path, JournalContent& content, const FileCalls& calls = system_file_calls());

  RunFolder(RunFolder&&) noexcept;
  RunFolder& operator=(RunFolder&&) noexcept;
  ~RunFolder();  ///< releases the lock

  /// When these throw IoError, everything before the record is in the journal and on the disk.
  void append(const TrialResult& trial);
  void append(const RunNote& note);
  /// Replaces result.json: written beside it, synced, renamed. When it throws IoError, the old one is intact.
  void write_result(const Run& run);
  const std::string& path() const;

 private:
  struct State;
  explicit RunFolder(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Reads a run from its folder or from a file (result.json, or a journal by its name's end, .jsonl). From a folder:
/// result.json, else the journal; the journal also where it holds trials that result.json lacks, with a note that says
/// so. Throws InputError with the place of the fault, IoError when it can't be read.
Run load_run(const std::string& folder_or_file);

}  // namespace feedtune
