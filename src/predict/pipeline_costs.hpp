#pragma once
// What one configuration costs in each of its parts, and what throughput they come to together.

#include <cstdint>

#include "predict/scaling.hpp"

namespace feedtune {

/// Seconds. One configuration of a loader that feeds a training step.
struct PipelineCosts {
  std::int64_t batch_size = 1;
  std::int64_t workers = 0;        ///< 0: the training thread loads
  std::int64_t batches_ahead = 2;  ///< batch_per_worker: of all workers together; pooled: in total
  bool pooled = false;
  double image_load_s = 0;         ///< one image on one core
  double image_load_cv = 0;        ///< from image to image
  double loader_roof = 0;          ///< images/s that memory bandwidth lets any number of workers load; 0: no roof
  double pin_s = 0;                ///< copying a batch to pinned memory; 0: not done
  double copy_s = 0;               ///< of a batch to the device; 0: none
  double copy_exposed = 1;         ///< share of the shorter of copy and step that is not hidden behind the longer, [0, 1]
  bool host_copies = false;        ///< the training thread is in the copy until it is done (pageable memory)
  double load_exposed = 1;         ///< without workers: the same of loading and the training thread's other work
  double step_s = 0;               ///< of a batch
  double step_cores = 0;           ///< cores that the step takes from the loader; 0: the device has its own
  Scaling scaling;
  Cores cores;
  double cores_taken = 0;          ///< by the training thread, whatever it does
};

/// images/s of the loader alone.
double loader_images_per_s(const PipelineCosts& costs);

/// images/s of the whole: the training thread's own part (copy and step, one hidden behind the other or not), workers
/// that run ahead of it by at most `batches_ahead`, and on shared cores the sum of both kinds of work as a ceiling
/// (METHOD.md 2.2, compose, and 2.3; DESIGN.md 4, cpu).
double images_per_s(const PipelineCosts& costs);

}  // namespace feedtune
