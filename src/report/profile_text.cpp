#include "report/profile_text.hpp"

#include <fmt/format.h>

#include "report/format.hpp"
#include "report/table.hpp"

namespace feedtune {
namespace {

constexpr Align right = Align::right;

std::string range_text(double value, double low, double high) { return fmt::format("{:.4g} [{:.4g}, {:.4g}]", value, low, high); }

std::string misfit_text(double misfit) { return fmt::format("{:+.1f} %", 100 * misfit); }

std::string step_text(const StepCurve& curve) {
  Table table{{{"batch", right}, {"forward ms", right}, {"loss+backward", right}, {"update", right}, {"step", right}, {"images/s", right}, {"device memory", right}}, {}};
  for (const StepPoint& p : curve.points)
    table.rows.push_back({count_text(p.batch_size), ms_text(p.forward_ms), ms_text(p.backward_ms), ms_text(p.update_ms), range_text(p.step_ms(), p.low_ms, p.high_ms),
                          rate_text(p.batch_size / p.step_ms() * 1e3), bytes_text(static_cast<double>(p.device_bytes))});
  const Line step{.fixed = curve.forward.fixed + curve.backward.fixed + curve.update.fixed, .slope = curve.forward.slope + curve.backward.slope + curve.update.slope};
  std::string text = fmt::format("Step of {} in {} at {} pixels: {:.4g} ms + {:.4g} ms an image; the host submits it in {:.3g} ms\n", curve.model,
                                 to_text(curve.precision), curve.image_size, step.fixed, step.slope, curve.host_ms.value);
  text += render_table(table, TableStyle::text, 2);
  if (curve.hold_out) {
    const HoldOut& h = *curve.hold_out;
    text += fmt::format("  Held out: batch {:.0f}: {} ms; the line gives {}", h.at, range_text(h.measured, h.low, h.high), misfit_text(h.line_misfit));
    text += curve.interpolated ? fmt::format(", more than 3 %: between the points the points are used ({})\n", misfit_text(h.misfit)) : "; it is used\n";
  }
  text += fmt::format("  Memory: {} + {} an image; the planner is within {}\n", bytes_text(curve.memory.fixed), bytes_text(curve.memory.slope),
                      percent_text(curve.memory_misfit < 0 ? -curve.memory_misfit : curve.memory_misfit));
  return text;
}

std::string copies_text(const std::vector<CopyCurve>& copies) {
  Table table{{{"copies from"}, {"size", right}, {"us", right}, {"GB/s", right}}, {}};
  std::string fits;
  for (const CopyCurve& curve : copies) {
    for (const CopyPoint& p : curve.points)
      table.rows.push_back({std::string(to_text(curve.host_memory)), fmt::format("{:.0f} KiB", p.bytes / 1024), range_text(p.us, p.low_us, p.high_us),
                            fmt::format("{:.3g}", p.bytes / p.us * 1e-3)});
    fits += fmt::format("{}: {:.3g} us + bytes / {:.4g} GB/s", to_text(curve.host_memory), curve.latency_us, curve.gb_s);
    if (curve.hold_out) fits += fmt::format("; held out: {:.0f} MiB: {}", curve.hold_out->at / 1048576, misfit_text(curve.hold_out->misfit));
    fits += "\n";
  }
  return render_table(table) + fits;
}

std::string figures_text(const DeviceProfile& profile) {
  Table table{{{"figure"}, {"measured", right}}, {}};
  const auto row = [&](const std::string& name, const Figure& f) {
    table.rows.push_back({name, range_text(f.value, f.provenance.low, f.provenance.high)});
  };
  for (const auto& [precision, figure] : profile.peak_tflops) row("GEMM, TFLOP/s, " + precision, figure);
  row("memory, GB", profile.memory_gb);
  row("memory bandwidth, GB/s", profile.memory_bandwidth_gb_s);
  row("launch, us", profile.launch_us);
  row("kernel gap, us", profile.kernel_gap_us);
  table.rows.push_back({"the host waits", profile.host_wait == HostWait::spin ? "spinning" : "blocked"});
  return render_table(table);
}

}  // namespace

std::string profile_text(const DeviceProfile& profile, const std::vector<std::string>& notes) {
  std::string text;
  if (profile.fake) text += "fake: the tests' fake GPU was measured; nothing here is a GPU's figure.\n";
  text += fmt::format("{}: {}\n", profile.name, profile.title);
  for (const StepCurve& curve : profile.steps) text += "\n" + step_text(curve);
  text += "\n" + copies_text(profile.copies) + "\n" + figures_text(profile);
  if (!notes.empty()) text += "\nNotes\n";
  for (const std::string& note : notes) text += wrapped("- " + single_line(note), 0, 2);
  return text;
}

}  // namespace feedtune
