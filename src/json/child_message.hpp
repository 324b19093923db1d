#pragma once
// What the sweep and its trial child say to each other: one JSON object a message.

#include <string>
#include <string_view>
#include <variant>

#include "core/trial.hpp"
#include "core/trial_runner.hpp"

namespace feedtune {

/// The child has no more to do and ends with exit code 0.
struct QuitRequest {};

/// Sweep to child.
using ParentMessage = std::variant<TrialRequest, QuitRequest>;

/// Heartbeat of a running trial. `doing` is what the worker that has been longest at its image does, "worker 3: decode
/// n01440764/x.jpg for 12.3 s", or that the workers are idle; empty where there are none.
struct ChildProgress {
  TrialProgress progress;
  std::string doing;
};

/// Child to sweep: heartbeats, then one result per request.
using ChildMessage = std::variant<ChildProgress, TrialResult>;

std::string encode_message(const ParentMessage& message);
std::string encode_message(const ChildMessage& message);
/// Throw InputError for what is no such message.
ParentMessage decode_parent_message(std::string_view text);
ChildMessage decode_child_message(std::string_view text);

}  // namespace feedtune
