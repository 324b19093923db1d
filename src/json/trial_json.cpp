#include "json/trial_json.hpp"

#include <cmath>

#include "json/setup_fields.hpp"
#include "json/trial_fields.hpp"

namespace feedtune {
namespace {

constexpr const char* not_finite = "not a finite number";

bool finite(double value) { return std::isfinite(value); }
bool finite(const Interval& v) { return finite(v.mean) && finite(v.low) && finite(v.high); }
bool finite(const PhaseSummary& v) {
  return finite(v.mean) && finite(v.p50) && finite(v.p95) && finite(v.p99) && finite(v.max);
}
bool finite(const std::optional<double>& v) { return !v || finite(*v); }
bool finite(const Oscillation& v) {
  return finite(v.period_s) && finite(v.duty) && finite(v.low) && finite(v.high) && finite(v.periods) && finite(v.waiting) &&
         finite(v.copying) && finite(v.ready_low) && finite(v.ready_high);
}

}  // namespace

TrialResult without_non_finite(const TrialResult& result) {
  TrialResult clean = result;
  const auto check = [&](const std::string& name, auto& value) {
    if (!value || finite(*value)) return;
    value.reset();
    clean.unknown[name] = not_finite;
  };
  const auto check_map = [&](const std::string& name, auto& values) {
    for (auto it = values.begin(); it != values.end();) {
      if (finite(it->second)) {
        ++it;
        continue;
      }
      clean.unknown[name + "." + it->first] = not_finite;
      it = values.erase(it);
    }
  };
  const auto check_number = [&](const std::string& name, double& value) {
    if (finite(value)) return;
    value = 0;
    clean.unknown[name] = not_finite;
  };
  check("images_per_s", clean.images_per_s);
  check_map("phases_ms", clean.phases);
  check_map("worker_ms_per_image", clean.worker_ms_per_image);
  check("device_busy", clean.device_busy);
  check("oscillation", clean.oscillation);
  if (clean.gpu) check("gpu.oscillation", clean.gpu->oscillation);
  check("first_batch_ms", clean.first_batch_ms);
  check("startup_s", clean.startup_s);
  check("epoch_turn_ms", clean.epoch_turn_ms);
  check("cpu_s_per_image", clean.host.cpu_s_per_image);
  check("host.cpu_user_s", clean.host.cpu_user_s);
  check("host.cpu_system_s", clean.host.cpu_system_s);
  check("host.run_delay_s", clean.host.run_delay_s);
  check("host.runnable_threads", clean.host.runnable_threads);
  check("host.cache_resident_share", clean.host.cache_resident_share);
  check("host.throttled_s", clean.host.throttled_s);
  check("host.cpu_mhz", clean.host.cpu_mhz);
  check_number("measured_s", clean.measured_s);
  check_number("cost_s", clean.cost_s);
  for (auto& file : clean.files) check_number("files.ms", file.ms);
  return clean;
}

std::string encode(const TrialRequest& request) { return compact_text(write_value(request)); }

TrialRequest decode_trial_request(std::string_view text) {
  const JsonValue json = parse_json(text, "trial request");
  TrialRequest request;
  read_value(json, Place("trial request", false), request);
  return request;
}

std::string encode(const TrialResult& result) { return compact_text(write_value(without_non_finite(result))); }

TrialResult decode_trial_result(std::string_view text, const std::string& where) {
  const JsonValue json = parse_json(text, where);
  TrialResult result;
  read_value(json, Place(where, false), result);
  return result;
}

}  // namespace feedtune
