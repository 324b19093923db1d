#include "sweep/resume.hpp"

#include <fmt/format.h>

#include <vector>

#include "core/error.hpp"
#include "core/nearest.hpp"

namespace feedtune {
namespace {

std::string text(const std::string& value) { return value.empty() ? "none" : value; }
std::string text(bool value) { return value ? "on" : "off"; }
template <class T>
std::string text(const std::optional<T>& value) {
  return value ? fmt::format("{}", *value) : "none";
}
template <class T>
std::string text(const T& value) {
  return fmt::format("{}", value);
}

std::string listed(const std::vector<AxisValue>* values) {
  if (values == nullptr) return "default";
  std::vector<std::string> names;
  for (const AxisValue& value : *values) names.push_back(to_text(value));
  return joined(names);
}

std::string listed(const std::vector<StepTime>& times) {
  std::vector<std::string> names;
  for (const StepTime& time : times) names.push_back(fmt::format("{}ms@{}", time.step_ms, time.batch_size));
  return text(joined(names));
}

class Differences {
 public:
  template <class T>
  void compare(const char* name, const T& recorded, const T& asked) {
    note(name, text(recorded), text(asked));
  }
  void note(const std::string& name, const std::string& recorded, const std::string& asked) {
    if (recorded != asked) found_.push_back(fmt::format("{}: {} -> {}", name, recorded, asked));
  }
  void compare_axes(const Spec& recorded, const Spec& asked) {
    const auto values_of = [](const Spec& spec, const std::string& axis) {
      const auto found = spec.axes.find(axis);
      return found == spec.axes.end() ? nullptr : &found->second;
    };
    std::map<std::string, int> names;
    for (const Spec* spec : {&recorded, &asked})
      for (const auto& entry : spec->axes) ++names[entry.first];
    for (const auto& entry : names)
      note("axes." + entry.first, listed(values_of(recorded, entry.first)), listed(values_of(asked, entry.first)));
  }
  const std::vector<std::string>& found() const { return found_; }

 private:
  std::vector<std::string> found_;
};

}  // namespace

void check_resumable(const Run& recorded, const Run& asked, const std::string& where) {
  const Spec& a = recorded.spec;
  const Spec& b = asked.spec;
  Differences differences;
  differences.compare("data's digest", recorded.data.digest, asked.data.digest);
  differences.compare("device", a.device, b.device);
  differences.compare("model", a.model, b.model);
  differences.note("step", listed(a.step_times), listed(b.step_times));
  differences.compare_axes(a, b);
  differences.note("current", a.current ? a.current->key() : "none", b.current ? b.current->key() : "none");
  differences.note("replay's digest", a.replay ? a.replay->digest : "none", b.replay ? b.replay->digest : "none");
  differences.note("baseline", a.baseline ? a.baseline->key() : "default", b.baseline ? b.baseline->key() : "default");
  differences.compare("strategy", a.strategy, b.strategy);
  differences.compare("budget's seconds", a.budget.seconds, b.budget.seconds);
  differences.compare("budget's trials", a.budget.trials, b.budget.trials);
  differences.compare("trial_time_s", a.trial_time_s, b.trial_time_s);
  differences.note("cache", std::string(to_text(a.cache)), std::string(to_text(b.cache)));
  differences.compare("image_size", a.image_size, b.image_size);
  differences.compare("seed", a.seed, b.seed);
  differences.compare("anchors", a.anchors, b.anchors);
  differences.compare("within", a.within, b.within);
  differences.compare("effective CPUs", recorded.machine.cpus.effective, asked.machine.cpus.effective);
  if (!differences.found().empty())
    throw InputError(where, fmt::format("not the sweep that was begun here ({}); resume it as it was, or start a new one",
                                        fmt::join(differences.found(), "; ")));
}

}  // namespace feedtune
