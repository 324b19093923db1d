#include <fmt/format.h>

#include <algorithm>

#include "analyze/measurements.hpp"
#include "analyze/roles.hpp"
#include "report/format.hpp"
#include "report/recommend_text.hpp"

namespace feedtune {
namespace {

constexpr std::size_t margin = 9;  // "Verdict  "

std::string line(const std::string& label, const std::string& text) {
  return fmt::format("{:<9}", label) + wrapped(text, margin, margin);
}

const Gain* gain_over(const Recommendation& r, const std::string& over) {
  for (const Gain& g : r.gains)
    if (g.over == over) return &g;
  return nullptr;
}

bool keeps_current(const Recommendation& r) {
  return r.current && (r.current->configuration == r.recommended->configuration || r.current->verdict == "best" ||
                       r.current->verdict == "equivalent");
}

std::string gain_text(const Gain& g, const std::string& over, bool decided) {
  if (g.method == "same configuration") return "that is " + over;
  if (g.ratio.low <= 1 && g.ratio.high >= 1) 
    return "not told apart from " + over + (decided ? "" : " yet") + detectable_text(g);
  return ratio_text(g.ratio.mean) + " " + over;
}

std::string verdict(const Run& run, const Recommendation& r) {
  const Configuration& c = r.recommended->configuration;
  std::string text = fmt::format("{} images/s with {}", rate_text(r.recommended->images_per_s.mean),
                                 settings_text(c, joined_axes({"batch_size", "num_workers", "loader", "host_memory", "prefetch"}, swept_axes(run.spec))));
  if (keeps_current(r))
    return fmt::format(
        "Keep the current settings: nothing measured at this batch size is more than {:.3g} % faster ({} images/s).{}",
        100 * r.within, rate_text(r.current->images_per_s.mean),
        r.decided ? "" : " Not settled yet: see the warnings.");
  if (const Gain* g = gain_over(r, "current"))
    text += ": " + gain_text(*g, "the current settings", r.decided);
  else if (const Gain* base = gain_over(r, "baseline"))
    text += ": " + gain_text(*base, run.spec.baseline ? "the baseline" : "feedtune's baseline (0 workers)", r.decided);
  return text + (r.decided ? "." : ". Not settled yet: see the warnings.");
}

std::string ceiling_or(const std::optional<double>& ceiling, const std::string& text) {
  return ceiling ? fmt::format(fmt::runtime(text), rate_text(*ceiling)) : "";
}

std::string why(const Run& run, const Recommendation& r) {
  const Ceilings& c = r.ceilings;
  const std::string waiting = r.waiting_share ? percent_text(*r.waiting_share) : "-";
  if (r.bound_by == "loader")
    return fmt::format("loading holds it back: the device waits for data in {} of each step{}{}.", waiting,
                       ceiling_or(c.loader, "; loading alone gave {} images/s"),
                       ceiling_or(c.step, ", the step alone could take {}"));
  if (r.bound_by == "h2d")
    return fmt::format(
        "the copy to the device holds it back: {} of each step is copying with no computing beside it{}{}.",
        percent_text(r.exposed_copy_share.value_or(0)), ceiling_or(c.h2d, "; the copy alone gave {} images/s"),
        ceiling_or(c.step, ", the step alone could take {}"));
  if (r.bound_by == "joint_cpu")
    return fmt::format("loading and the step share {:.3g} CPUs: together they give at most {} images/s{}{}.",
                       run.machine.cpus.effective, rate_text(c.joint_cpu.value_or(0)),
                       ceiling_or(c.loader, " (loading alone {}"),
                       ceiling_or(c.step, c.loader ? ", the step alone {})" : " (the step alone {})"));
  if (r.bound_by == "device")
    return fmt::format("the device is busy: it waits for data in only {} of each step{}{}.", waiting,
                       ceiling_or(c.step, "; the step alone gives {} images/s, which no loader setting can beat"),
                       ceiling_or(c.loader, "; loading alone gives {}"));
  return "the trials recorded no phases, so what holds it back is not known.";
}

/// What to change; for PyTorch where the headline's loader isn't one that its DataLoader can be.
std::string change(const Run& run, const Recommendation& r) {
  const auto from = [&](const Configuration& to) {
    return r.current ? "change " + change_text(r.current->configuration, to)
                     : "set " + settings_text(to, {"batch_size", "num_workers", "host_memory", "prefetch"});
  };
  if (keeps_current(r)) return "leave the loader as it is";
  if (!r.recommended->configuration.has("loader"))  // somebody else's axes
    return r.current ? from(r.recommended->configuration) : "set " + settings_text(r.recommended->configuration, swept_axes(run.spec));
  if (pytorch_can(r.recommended->configuration)) return from(r.recommended->configuration);
  const std::string elsewhere = "the verdict's figure needs a loader that works like " +
                                r.recommended->configuration.text("loader").value_or("this one") + " (settings below)";
  if (!r.pytorch) return elsewhere;
  const Configuration& pytorch = r.pytorch->configuration;
  const bool already = r.current && change_text(r.current->configuration, pytorch).empty();
  const bool same_batch = pytorch.integer("batch_size") == r.recommended->configuration.integer("batch_size");
  return fmt::format("in PyTorch {}: {} images/s{} (`recommend --format pytorch` prints the arguments); {}",
                     already ? "nothing measured is better than the current settings" : from(pytorch),
                     rate_text(r.pytorch->images_per_s.mean), same_batch ? "" : ", its loader's own best batch size", elsewhere);
}

std::string beyond(const Recommendation& r) {
  if (r.bound_by == "loader")
    return "Beyond that only faster loading helps: more CPUs, smaller images, a cheaper decoder.";
  if (r.bound_by == "h2d")
    return "Beyond that ship fewer bytes (input_type uint8), or overlap copies from pinned memory.";
  if (r.bound_by == "device") return "Beyond that only a faster step helps: precision, batch size, model or device.";
  if (r.bound_by == "joint_cpu") return "Beyond that only more CPUs, or less work an image, help.";
  return "";
}

std::string next(const Run& run, const Recommendation& r) {
  return change(run, r) + ". " + beyond(r) +
         (r.decided ? "" : " Sweep on with a larger --budget to settle what is undecided.");
}

/// Where there is nothing to recommend.
std::string next_without(const Run& run) {
  if (std::none_of(run.trials.begin(), run.trials.end(), is_of_the_search)) {
    for (const RunNote& note : run.notes) {
      if (note.kind == "interrupted") return "go on with --resume.";
      if (note.kind == "budget") return "give a larger --budget: it ended before the first setting.";
    }
  }
  return "remove that cause (`feedtune sweep --dry-run` lists what would be tried) and sweep again.";
}

std::string replayed_text(const Run& run) {
  if (!run.spec.replay) return "";
  return wrapped(fmt::format("replayed: every trial is drawn from those recorded in {}; nothing was measured for this.", run.spec.replay->file), 0, 10);
}

std::string device_text(const Run& run, const Recommendation& r) {
  if (run.device.fake && run.device.modelled)
    return wrapped(fmt::format("modelled: {} is computed from a profile of the tests' fake GPU; nothing here is a GPU's figure.", run.device.name), 0, 10);
  if (run.device.fake) return "fake: the tests' fake GPU computed this on the CPU; nothing here is a GPU's figure.\n";
  if (!r.modelled) return "";
  if (run.device.name == "null")
    return wrapped("modelled: the null device takes no time for copies and steps; the loader is real, and it is all that is measured.", 0, 10);
  return wrapped(fmt::format("modelled: {} is computed from a profile, not measured; the host side (reading, decoding, "
                             "staging copies, queues) is real.",
                             run.device.name),
                 0, 10);
}

}  // namespace

std::string detectable_text(const Gain& gain) {
  if (!gain.detectable || *gain.detectable <= 0) return "";
  return fmt::format("; a gain of {} would have shown", percent_text(*gain.detectable));
}

std::string verdict_text(const Run& run, const Recommendation& r) {
  if (!r.recommended)
    return line("Verdict", "no setting can be recommended.") +
           line("Why", r.warnings.empty() ? "no setting was tried." : r.warnings.front() + ".") + line("Next", next_without(run));
  return line("Verdict", verdict(run, r)) + line("Why", why(run, r)) + line("Next", next(run, r));
}

std::string modelled_text(const Run& run, const Recommendation& r) { return replayed_text(run) + device_text(run, r); }

}  // namespace feedtune
