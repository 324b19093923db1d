#pragma once
// Steps measured as trials (step_only), in rounds over all points, so that a device that slows down does so for all of them.

#include <functional>
#include <string>
#include <vector>

#include "core/trial_runner.hpp"

namespace feedtune {

struct StepsRequest {
  std::string device = "cuda";
  std::vector<std::string> models;
  std::vector<Precision> precisions;
  std::vector<int> batch_sizes;  ///< ascending, at least 4
  int image_size = 224;
  double end_s = 0;              ///< on the runner's clock; no trial goes on beyond it
};

/// One batch size of one curve, measured once in each round.
struct MeasuredStep {
  std::string model;
  Precision precision = Precision::fp32;
  int image_size = 0;
  int batch_size = 0;
  bool held_out = false;                     ///< not for the fit
  std::vector<double> forward_ms, backward_ms, update_ms;  ///< mean of each trial that worked
  std::int64_t device_bytes = 0;             ///< peak
  std::string failure;                       ///< why its last trial gave nothing
};

struct MeasuredSteps {
  std::vector<MeasuredStep> steps;  ///< by model, precision and batch size; also those without a time
  std::vector<std::string> notes;
};

/// The batch size that is held out: half-way between the two in the middle. 0 where they leave no room.
int held_out_batch(const std::vector<int>& batch_sizes);

/// The set-up whose step is measured: input resident, uint8, one input buffer.
TrialSetup step_setup(const std::string& device, const std::string& model, Precision precision, int image_size, int batch_size);

/// Three rounds, or as many as the time allows, up to five; larger batches than one that ran out of memory are not tried. `progress` is told
/// of every trial that ended. Ends early when a trial says "interrupted".
MeasuredSteps measure_steps(TrialRunner& runner, const StepsRequest& request, const std::function<void(const std::string&)>& progress);

}  // namespace feedtune
