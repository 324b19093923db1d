#include "replay/synthetic_family.hpp"

namespace feedtune {

const std::vector<SyntheticFamily>& all_synthetic_families() {
  using enum SyntheticFamily;
  static const std::vector<SyntheticFamily> all = {mixed,      decode_bound, step_plateau,   copy_bound,        bandwidth_bound, retrograde, smt_kink,
                                                   oom_cliff,  tile_quantised, zero_workers_best, cpu_device, interaction,
                                                   rough,      all_equal,    all_but_one_infeasible};
  return all;
}

std::string to_text(SyntheticFamily family) {
  switch (family) {
    case SyntheticFamily::mixed:
      return "mixed";
    case SyntheticFamily::decode_bound:
      return "decode_bound";
    case SyntheticFamily::step_plateau:
      return "step_plateau";
    case SyntheticFamily::copy_bound:
      return "copy_bound";
    case SyntheticFamily::bandwidth_bound:
      return "bandwidth_bound";
    case SyntheticFamily::retrograde:
      return "retrograde";
    case SyntheticFamily::smt_kink:
      return "smt_kink";
    case SyntheticFamily::oom_cliff:
      return "oom_cliff";
    case SyntheticFamily::tile_quantised:
      return "tile_quantised";
    case SyntheticFamily::zero_workers_best:
      return "zero_workers_best";
    case SyntheticFamily::cpu_device:
      return "cpu_device";
    case SyntheticFamily::interaction:
      return "interaction";
    case SyntheticFamily::rough:
      return "rough";
    case SyntheticFamily::all_equal:
      return "all_equal";
    case SyntheticFamily::all_but_one_infeasible:
      return "all_but_one_infeasible";
  }
  return "?";
}

}  // namespace feedtune
