#pragma once
// The three kinds of error: the user's mistake and a broken machine are thrown (below); a failed trial is a status
// (TrialFailure, turned into a TrialResult at the trial's edge); a bug is an assertion. Only cli/ maps them to exit codes.

#include <cstdint>
#include <stdexcept>
#include <string>

#include "core/trial_status.hpp"

namespace feedtune {

/// Base of everything that feedtune throws on purpose. what() is one line, ready to show.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A wrong command line: exit code 2.
class UsageError : public Error {
 public:
  using Error::Error;
};

/// Bad input of any kind (data folder, result file, profile): exit code 3. `where` is a path, a JSON path or an option.
class InputError : public Error {
 public:
  InputError(std::string where, const std::string& what_is_wrong);
  const std::string& where() const { return where_; }

 private:
  std::string where_;
};

/// The data is not what it was when the sweep began: its trials cannot be compared any more.
class DataChangedError : public InputError {
 public:
  using InputError::InputError;
};

/// A spec value that cannot be: SpecError("axes.batch_size[2]", "got 0, want an integer >= 1").
class SpecError : public InputError {
 public:
  using InputError::InputError;
};

/// The run folder belongs to a sweep that is alive: exit code 4.
class RunInUseError : public Error {
 public:
  using Error::Error;
};

/// The operating system refused: exit code 5. Keeps the path and errno.
class IoError : public Error {
 public:
  IoError(std::string path, const std::string& operation, int error_number);
  /// The same, with what the user can do about it.
  IoError(const IoError& error, const std::string& advice);
  const std::string& path() const { return path_; }
  int error_number() const { return error_number_; }

 private:
  std::string path_;
  int error_number_;
};

/// The device asked for cannot be used here: exit code 6. The reason names what is missing.
class DeviceUnavailableError : public Error {
 public:
  DeviceUnavailableError(const std::string& device, const std::string& reason);
};

/// Ends one trial with a status other than ok; never ends the sweep.
class TrialFailure : public Error {
 public:
  TrialFailure(TrialStatus status, const std::string& reason) : Error(reason), status_(status) {}
  TrialStatus status() const { return status_; }

 private:
  TrialStatus status_;
};

/// Memory that a trial asked for and did not get. `where` says whose; `limit_bytes` 0 means the limit is unknown.
class OutOfMemory : public TrialFailure {
 public:
  OutOfMemory(MemoryKind where, std::uint64_t requested_bytes, std::uint64_t limit_bytes);
  MemoryKind where() const { return where_; }
  std::uint64_t requested_bytes() const { return requested_bytes_; }
  std::uint64_t limit_bytes() const { return limit_bytes_; }

 private:
  MemoryKind where_;
  std::uint64_t requested_bytes_;
  std::uint64_t limit_bytes_;
};

}  // namespace feedtune
