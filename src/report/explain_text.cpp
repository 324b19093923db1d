#include "report/explain_text.hpp"

#include <fmt/format.h>

#include "report/format.hpp"

namespace feedtune {
namespace {

constexpr std::size_t margin = 9;  // "Verdict  "

std::string line(const std::string& label, const std::string& text, std::size_t indent = 0) {
  return fmt::format("{}{:<9}", std::string(indent, ' '), label) + wrapped(single_line(text), indent + margin, indent + margin);
}

std::string gain_text(const Finding& f) {
  if (f.gain) return fmt::format("{} [{}, {}] images/s ({})", ratio_text(f.gain->mean), ratio_text(f.gain->low), ratio_text(f.gain->high), f.gain_of);
  return fmt::format("not known{}: {}", f.gain_of.empty() ? "" : " of " + f.gain_of, f.gain_unknown);
}

std::string lines_of(const Finding& f, std::size_t indent) {
  const std::string cost = f.share > 0 ? fmt::format(" (explains {} of the step)", percent_text(f.share)) : "";
  std::string text = line("Verdict", fmt::format("{}: {}{}.", f.rule, f.verdict, cost), indent);
  for (std::size_t i = 0; i < f.evidence.size(); ++i) text += line(i == 0 ? "Why" : "", f.evidence[i] + (i + 1 < f.evidence.size() ? ";" : "."), indent);
  return text + line("Gain", gain_text(f) + ".", indent) + line("Next", f.next + ".", indent);
}

std::string trial_text(const TrialExplanation& e) {
  std::string head = fmt::format("{} (trial {}): {} images/s with {}", e.role == "trial" ? "Trial" : e.role, e.id, e.images_per_s ? rate_text(*e.images_per_s) : "-",
                                 settings_text(e.configuration, {"batch_size", "num_workers", "loader", "host_memory", "prefetch", "worker_threads"}));
  head.front() = head.front() == 'T' ? 'T' : static_cast<char>(head.front() - 'a' + 'A');
  std::string text = wrapped(single_line(head), 0, 2);
  if (e.step_ms)
    text += wrapped(fmt::format("step {} ms; the device waits in {} of it, copies with nothing beside it in {}", ms_text(e.step_ms), percent_text(e.waiting_share),
                                percent_text(e.copying_share)),
                    0, 2);
  text += '\n';
  std::size_t next = 0;
  if (e.has_primary) {
    text += lines_of(e.findings.front(), 0);
    next = 1;
  } else {
    text += line("Verdict", e.step_ms ? "nothing found that holds this trial back by 5 % of its step or more." : "the trial recorded no steps, so nothing can be said.");
  }
  if (next < e.findings.size()) text += "\nAlso\n";
  for (const std::size_t first = next; next < e.findings.size(); ++next) text += (next == first ? "" : "\n") + lines_of(e.findings[next], 2);
  return text;
}

}  // namespace

std::string explain_text(const Explanation& explanation) {
  std::string text;
  for (const TrialExplanation& e : explanation.trials) text += (text.empty() ? "" : "\n") + trial_text(e);
  if (!explanation.run.empty()) text += "\nThe run as a whole\n";
  for (const Finding& f : explanation.run) text += lines_of(f, 2);
  if (explanation.modelled) text += "\n" + wrapped("modelled: the device's times are computed from a profile, not measured; the host side is real.", 0, 10);
  return text;
}

}  // namespace feedtune
