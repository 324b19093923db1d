#pragma once
// How batches get from workers to the device: an event recursion, batch by batch.

#include <cstdint>

namespace feedtune {

struct SyntheticDelivery {
  bool in_order = true;         ///< a whole batch a worker, delivered in order; else workers share the images of a batch
  std::int64_t workers = 0;
  std::int64_t ahead = 2;       ///< batches: per worker in order, else in total
  double load_s = 0;            ///< of a batch by one worker, in the mean; of shared images by all workers
  double load_cv = 0;
  double pin_s = 0;             ///< of a batch by the one pin thread; 0: there is none
  double host_copy_s = 0;       ///< the training thread is in the copy for so long
  double step_s = 0;            ///< of the device
  double exposed_copy_s = 0;    ///< of the device, in which it computes nothing
  bool wait_each = false;       ///< the training thread waits for each step, else for the one before the last
};

/// Mean seconds a batch takes, of 192 batches after the queue has filled; their load times are lognormal, and the
/// same for the same seed.
double delivery_s(const SyntheticDelivery& delivery, std::uint64_t seed);

}  // namespace feedtune
