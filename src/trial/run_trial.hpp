#pragma once
// One configuration -> one result, live, in this process.

#include <functional>
#include <memory>

#include "core/trial.hpp"
#include "json/child_message.hpp"
#include "measure/clock.hpp"
#include "pipeline/data_set.hpp"

namespace feedtune {

/// Called about four times a second from a thread of its own, so that a stuck trial is heard of too.
using OnHeartbeat = std::function<void(const ChildProgress&)>;

/// Never throws for what a trial can run into: that is a status with its reason. `cache` keeps the data's list and
/// memory between the trials of one process.
TrialResult run_trial(const TrialRequest& request, std::shared_ptr<Clock> clock, DataCache& cache, const OnHeartbeat& on_heartbeat);

}  // namespace feedtune
