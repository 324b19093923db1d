#pragma once
#include <string>
#include <vector>

namespace feedtune {

/// What a made-up machine is like: where its optimum lies and what hides it.
enum class SyntheticFamily {
  mixed,                   ///< anything: drawn so that loading, copying or the step may bind
  decode_bound,            ///< loading binds at every worker count
  step_plateau,            ///< the step binds nearly everywhere: hundreds of ties
  copy_bound,              ///< the copy to the device binds: few bytes and pinned memory win
  bandwidth_bound,         ///< memory bandwidth ends the gain from workers
  retrograde,              ///< contention: beyond a few workers throughput falls
  smt_kink,                ///< hyper-threads add little: a kink at the physical cores
  oom_cliff,               ///< the best batch size is the last that fits
  tile_quantised,          ///< the step's time jumps with the batch size: not monotone
  zero_workers_best,       ///< one core that the training thread needs: workers only get in its way
  cpu_device,              ///< the step runs on the loader's cores: what one gets the other lacks
  interaction,             ///< pairs of settings that help or hurt each other, by no rule
  rough,                   ///< 4 % of irregularity from one configuration to the next
  all_equal,               ///< every configuration is as fast as any other
  all_but_one_infeasible,  ///< one configuration works, the others run out of memory
};

/// In the order above.
const std::vector<SyntheticFamily>& all_synthetic_families();
std::string to_text(SyntheticFamily family);

}  // namespace feedtune
