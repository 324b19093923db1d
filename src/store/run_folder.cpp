#include "store/run_folder.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "core/error.hpp"
#include "core/read_file.hpp"
#include "json/journal_json.hpp"
#include "json/run_json.hpp"
#include "json/value.hpp"
#include "store/file.hpp"
#include "store/journal.hpp"
#include "store/run_lock.hpp"

namespace fs = std::filesystem;

namespace feedtune {
namespace {

std::string journal_path(const std::string& folder) { return folder + "/trials.jsonl"; }
std::string result_path(const std::string& folder) { return folder + "/result.json"; }

/// Regular file or anything else of that name.
bool exists(const std::string& path) {
  std::error_code error;
  return fs::symlink_status(path, error).type() != fs::file_type::not_found;
}

bool has_run(const std::string& folder) { return exists(journal_path(folder)) || exists(result_path(folder)); }

/// What a creation that was killed half-way leaves behind.
bool is_leftover(const std::string& name) { return name == "lock" || name == ".trials.jsonl.tmp"; }

/// The name of something in the folder that is not ours; empty when there is nothing.
std::string stranger(const std::string& folder) {
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  if (error) throw IoError(folder, "list", error.value());
  for (const fs::directory_iterator end; entries != end; entries.increment(error)) {
    const std::string name = entries->path().filename().string();
    if (!is_leftover(name)) return name;
  }
  return {};
}

[[noreturn]] void refuse_existing_run(const std::string& folder) {
  throw InputError(folder, "holds a run already; --resume goes on with it, or choose another folder with --out");
}

/// Creates the folder and its parents; refuses one that is not new, empty, or the leftover of a creation.
void make_folder(const std::string& folder) {
  std::error_code error;
  const auto type = fs::status(folder, error).type();
  if (type == fs::file_type::not_found) {
    fs::create_directories(folder, error);
    if (error) throw IoError(folder, "create", error.value());
    return;
  }
  if (type == fs::file_type::none) throw IoError(folder, "create", error.value());
  if (type != fs::file_type::directory) throw InputError(folder, "is a file, want a new or an empty folder");
  if (has_run(folder)) return;  // the lock decides whether it is in use or merely there
  if (const std::string name = stranger(folder); !name.empty())
    throw InputError(folder, fmt::format("is not empty (it holds {}), want a new or an empty folder", name));
}

std::string parent_of(const std::string& folder) {
  std::error_code error;
  const fs::path absolute = fs::absolute(folder, error).lexically_normal();
  if (error) throw IoError(folder, "find", error.value());
  return (absolute.has_filename() ? absolute.parent_path() : absolute.parent_path().parent_path()).string();
}

Run read_result(const std::string& path) { return decode_run(read_file(path, json_max_bytes), path); }

Run load_folder(const std::string& folder) {
  const bool result = exists(result_path(folder));
  if (!result && !exists(journal_path(folder)))
    throw InputError(folder, "holds no run (neither result.json nor trials.jsonl)");
  if (!result) return read_journal(journal_path(folder)).content.run;

  Run run = read_result(result_path(folder));
  if (!exists(journal_path(folder))) return run;
  try {
    Run journal = read_journal(journal_path(folder)).content.run;
    if (journal.trials.size() <= run.trials.size()) return run;
    journal.notes.push_back({.kind = "interrupted",
                             .text = fmt::format("result.json holds {} of {} trials; the others were read from the journal",
                                                 run.trials.size(), journal.trials.size())});
    return journal;
  } catch (const InputError&) {
    return run;  // result.json is whole, and self-contained
  }
}

}  // namespace

struct RunFolder::State {
  std::string path;
  RunLock lock;
  JournalWriter journal;
  const FileCalls* calls;
};

RunFolder::RunFolder(std::unique_ptr<State> state) : state_(std::move(state)) {}
RunFolder::RunFolder(RunFolder&&) noexcept = default;
RunFolder& RunFolder::operator=(RunFolder&&) noexcept = default;
RunFolder::~RunFolder() = default;

RunFolder RunFolder::create(const std::string& path, const Run& header, const FileCalls& calls) {
  make_folder(path);
  RunLock lock(path);
  if (has_run(path)) refuse_existing_run(path);
  const std::string line = journal_line(header) + "\n";
  replace_file(journal_path(path), line, calls);  // whole or not there: a run always has its header
  sync_folder(parent_of(path), calls);
  JournalWriter journal(journal_path(path), static_cast<off_t>(line.size()), calls);
  return RunFolder(std::make_unique<State>(State{path, std::move(lock), std::move(journal), &calls}));
}

RunFolder RunFolder::resume(const std::string& path, JournalContent& content, const FileCalls& calls) {
  if (!exists(path)) throw InputError(path, "no such folder: no run to go on with");
  if (!exists(journal_path(path))) throw InputError(path, "holds no trials.jsonl: no run to go on with");
  RunLock lock(path);
  ReadJournal read = read_journal(journal_path(path));
  JournalWriter journal(journal_path(path), read.whole_bytes, calls);
  content = std::move(read.content);
  return RunFolder(std::make_unique<State>(State{path, std::move(lock), std::move(journal), &calls}));
}

void RunFolder::append(const TrialResult& trial) { state_->journal.append(journal_line(trial)); }
void RunFolder::append(const RunNote& note) { state_->journal.append(journal_line(note)); }
void RunFolder::write_result(const Run& run) { replace_file(result_path(state_->path), encode(run), *state_->calls); }
const std::string& RunFolder::path() const { return state_->path; }

Run load_run(const std::string& folder_or_file) {
  std::error_code error;
  if (fs::is_directory(folder_or_file, error)) return load_folder(folder_or_file);
  if (folder_or_file.ends_with(".jsonl")) return read_journal(folder_or_file).content.run;
  return read_result(folder_or_file);
}

}  // namespace feedtune
