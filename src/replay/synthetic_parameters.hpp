#pragma once
#include <cstdint>

#include "replay/synthetic_family.hpp"

namespace feedtune {

/// What a made-up machine's speed follows from. Seconds, bytes and bytes/s throughout.
struct SyntheticParameters {
  // Host
  double physical_cores = 4;
  double effective_cpus = 8;         ///< hyper-threads counted
  double smt_gain = 0.25;            ///< what a second thread adds to its core
  double turbo_loss = 0.15;          ///< of the frequency, from one busy core to all of them
  double sigma = 0.03, kappa = 0;    ///< USL's contention and coherency (Gunther 1993)
  double oversubscribed_loss = 0.1;  ///< at twice as many workers as CPUs
  double training_thread_cores = 0.3;  ///< what the training thread takes from the workers
  double memory_bytes_per_s = 20e9;
  double roofline_power = 4;         ///< how softly bandwidth bounds loading: 1/x^p = 1/a^p + 1/b^p
  double llc_bytes = 32e6;
  double llc_loss = 0.08;            ///< of loading, once the batch slots are far larger than the cache
  // Loading one image
  double decode_s = 2e-3;            ///< turbo: the crop only
  double whole_image_ratio = 1.5;    ///< turbo_full over turbo
  double float32_s = 1e-4;           ///< on top where the host normalises
  double pooled_s = 2e-5;            ///< on top where workers share images
  double image_cv = 0.6;             ///< spread of the images' times
  double batch_cv = 0.04;            ///< spread that a batch's images have in common
  double worker_batch_s = 5e-4;      ///< handing over a batch
  double memcpy_bytes_per_s = 6e9;
  // Device
  double launch_s = 2e-3;            ///< of a step
  double image_step_s = 3e-4;
  double tile = 48;                  ///< images: the step's work comes in whole tiles
  double tile_share = 0.2;           ///< of the step that does
  bool step_on_cores = false;        ///< the step has the loader's cores, all of them, and nothing is copied
  double step_crowding = 0;          ///< of such a step, with as many workers as cores: threads that wait for each other
  double copy_latency_s = 2e-5;
  double pinned_bytes_per_s = 12e9;
  double pageable_bytes_per_s = 4e9;
  // Memory
  double model_bytes = 1e9;
  double activation_bytes = 12e6;    ///< per image
  double device_bytes = 24e9;
  double pinned_limit_bytes = 8e9;
  double host_bytes = 64e9;
  // What no rule explains
  double roughness = 0.012;          ///< sd of the logarithm, independent from configuration to configuration
  double interaction = 0.02;         ///< sd of the effect of a pair of settings
  bool flat = false;                 ///< as fast whatever the configuration
};

/// The same for the same seed and family.
SyntheticParameters draw_parameters(std::uint64_t seed, SyntheticFamily family);

}  // namespace feedtune
