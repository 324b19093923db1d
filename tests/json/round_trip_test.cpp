// Whatever a struct holds comes back from its JSON. The generator fills every field that the codec knows;
// fields_test.cpp sees to it that the codec knows every field.

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <bit>
#include <cmath>

#include "json/child_message.hpp"
#include "json/device_profile_json.hpp"
#include "json/device_rates_json.hpp"
#include "json/journal_json.hpp"
#include "json/recommendation_fields.hpp"
#include "json/rates_fields.hpp"
#include "json/run_fields.hpp"
#include "json/run_json.hpp"
#include "json/trial_json.hpp"

namespace feedtune {
namespace {

template <class T>
void fill(T& out);

std::string any_bytes() { return *rc::gen::container<std::string>(rc::gen::arbitrary<char>()); }

/// Unicode text with controls, quotes and characters of every length.
std::string any_text() {
  const auto characters = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "a", "\"", "\\", "/", "\n", "\r", "\t", "\x01", "\x1f", "\x7f", std::string(1, '\0'), "\xC3\xA9", "\xE2\x82\xAC", "\xEF\xBF\xBD", "\xF0\x9F\x98\x80", "\xE2\x80\xA8"));
  std::string text;
  for (const auto& character : characters) text += character;
  return text;
}

double any_double() {
  const auto value = std::bit_cast<double>(*rc::gen::arbitrary<std::uint64_t>());
  return std::isfinite(value) ? value : 0.1;
}

/// Takes the place of a reader or writer and gives every field a value.
struct Filler {
  template <class T>
  void field(const char*, T& value) {
    fill(value);
  }
  template <class T>
  void later_field(const char*, T& value) {
    fill(value);
  }
  void text_or_null(const char*, std::string& value) { value = any_text(); }
  void path(const char*, const char*, std::string& value) { value = any_bytes(); }
  void pair(const char*, double& low, double& high) { low = any_double(), high = any_double(); }
  template <class Body>
  void group(const char*, const Body& body) {
    body(*this);
  }
};

template <class T>
void fill(T& out) {
  if constexpr (std::is_same_v<T, double>) {
    out = any_double();
  } else if constexpr (std::is_same_v<T, std::string>) {
    out = any_text();
  } else if constexpr (std::is_arithmetic_v<T>) {
    out = *rc::gen::arbitrary<T>();
  } else if constexpr (std::is_enum_v<T>) {
    const auto names = enum_names<T>();
    out = names[*rc::gen::inRange<std::size_t>(0, names.size())].first;
  } else if constexpr (std::is_same_v<T, AxisValue>) {
    if (*rc::gen::arbitrary<bool>())
      out = *rc::gen::arbitrary<std::int64_t>();
    else
      out = "x" + any_text();
  } else if constexpr (std::is_same_v<T, Configuration>) {
    std::map<std::string, AxisValue> values;
    fill(values);
    out = Configuration(values);
  } else if constexpr (is_optional<T>) {
    if (*rc::gen::arbitrary<bool>()) fill(out.emplace());
  } else if constexpr (is_vector<T>) {
    out.resize(*rc::gen::inRange<std::size_t>(0, 3));
    for (auto& item : out) fill(item);
  } else if constexpr (is_string_map<T>) {
    for (int n = *rc::gen::inRange(0, 3); n > 0; --n) fill(out[any_text()]);
  } else if constexpr (is_pair<T>) {
    fill(out.first);
    fill(out.second);
  } else {
    Filler filler;
    fields(filler, out);
  }
}

template <class T>
T any() {
  T value{};
  fill(value);
  return value;
}

Run any_header() {
  Run run;
  Filler filler;
  header_fields(filler, run);
  return run;
}

Run any_run() {
  Run run = any_header();
  fill(run.complete);
  fill(run.trials);
  fill(run.notes);
  fill(run.recommendation);
  if (run.recommendation) fill(run.recommendation->ceilings);
  return run;
}

RC_GTEST_PROP(RoundTrip, ATrialRequestReachesItsChildAsItWasAsked, ()) {
  const auto request = any<TrialRequest>();
  const auto message = decode_parent_message(encode_message(ParentMessage(request)));
  RC_ASSERT(encode(std::get<TrialRequest>(message)) == encode(request));
  RC_ASSERT(std::get<TrialRequest>(message).setup.data.path == request.setup.data.path);
  RC_ASSERT(encode(decode_trial_request(encode(request))) == encode(request));
}

RC_GTEST_PROP(RoundTrip, ATrialResultReachesTheSweepAndTheJournalWhole, ()) {
  const auto result = any<TrialResult>();
  const std::string text = encode(result);
  RC_ASSERT(text.find('\n') == std::string::npos);
  RC_ASSERT(encode(decode_trial_result(text, "t")) == text);
  RC_ASSERT(encode(std::get<TrialResult>(decode_child_message(encode_message(ChildMessage(result))))) == text);
  const std::string line = journal_line(result);
  RC_ASSERT(line.find('\n') == std::string::npos);
  RC_ASSERT(encode(std::get<TrialResult>(decode_journal_line(line, "j", 2))) == text);
}

RC_GTEST_PROP(RoundTrip, AHeartbeatNamesItsPhaseAndWhatIsBeingDone, ()) {
  const ChildProgress progress{.progress = {.phase = any_text(), .images_per_s = any_double(), .elapsed_s = any_double()},
                               .doing = any_text()};
  const auto back = std::get<ChildProgress>(decode_child_message(encode_message(ChildMessage(progress))));
  RC_ASSERT(back.progress.phase == progress.progress.phase);
  RC_ASSERT(back.progress.images_per_s == progress.progress.images_per_s);
  RC_ASSERT(back.progress.elapsed_s == progress.progress.elapsed_s);
  RC_ASSERT(back.doing == progress.doing);
}

RC_GTEST_PROP(RoundTrip, AJournalKeepsItsHeaderAndNotes, ()) {
  const Run header = any_header();
  const std::string line = journal_line(header);
  RC_ASSERT(line.find('\n') == std::string::npos);
  RC_ASSERT(journal_line(std::get<Run>(decode_journal_line(line, "j", 1))) == line);
  const auto note = any<RunNote>();
  const auto back = std::get<RunNote>(decode_journal_line(journal_line(note), "j", 2));
  RC_ASSERT(back.kind == note.kind);
  RC_ASSERT(back.text == note.text);
}

RC_GTEST_PROP(RoundTrip, AResultFileKeepsTheRun, ()) {
  const Run run = any_run();
  const std::string text = encode(run);
  RC_ASSERT(encode(decode_run(text, "r")) == text);
}

RC_GTEST_PROP(RoundTrip, ADeviceProfileKeepsItsFigures, ()) {
  auto profile = any<DeviceProfile>();
  // What decode_device_profile asks of a profile beyond its types.
  const auto sound = [](Figure& figure) {
    figure.value = std::fmod(std::abs(figure.value), 1e9) + 1e-6;
    if (figure.value > 1e9) figure.value = 1e9;
    figure.provenance.low = 0;
    figure.provenance.high = figure.value;
    figure.provenance.source = "s" + figure.provenance.source;
  };
  const auto sourced = [](Provenance& provenance) {
    provenance.source = "s" + provenance.source;
    provenance.low = std::fmod(std::abs(provenance.low), 1e8);
    provenance.high = 2 * provenance.low;
  };
  const auto held_out = [](std::optional<HoldOut>& hold_out) {
    if (hold_out) *hold_out = {.at = 6, .measured = 5, .low = -1, .high = 5.25, .line_misfit = -0.125, .misfit = 0.5};
  };
  profile.name = "n-1.2_X";
  profile.title = "t" + profile.title;
  for (std::string& name : profile.driver_names) name = "d" + name;
  if (profile.fake) profile.fake = "f" + *profile.fake;
  sourced(profile.gemm_efficiency_provenance);
  profile.gemm_efficiency_by_precision = {{"bf16", {.points = {{.flops = 1e7, .share = 0.75}}, .provenance = profile.gemm_efficiency_provenance}}};
  profile.peak_tflops = {{"fp32", any<Figure>()}, {"bf16", any<Figure>()}};
  for (auto& [precision, figure] : profile.peak_tflops) sound(figure);
  for (Figure* figure : {&profile.memory_gb, &profile.memory_bandwidth_gb_s, &profile.pinned_h2d_gb_s.emplace(), &profile.pageable_h2d_gb_s,
                         &profile.copy_latency_us, &profile.launch_us, &profile.kernel_gap_us})
    sound(*figure);
  profile.gemm_efficiency = {{.flops = 1e6, .share = 0.125}, {.flops = 2.5e9, .share = 1}};
  int step = 0;
  for (StepCurve& curve : profile.steps) {
    curve.model = "m" + std::to_string(++step) + curve.model;
    curve.image_size = step;
    sourced(curve.provenance);
    sound(curve.host_ms);
    held_out(curve.hold_out);
    curve.memory_misfit = std::fmod(std::abs(curve.memory_misfit), 1) - 1;
    for (Line* line : {&curve.forward, &curve.backward, &curve.update, &curve.memory})
      *line = {std::fmod(std::abs(line->fixed), 1e8), std::fmod(std::abs(line->slope), 1e8)};
    curve.points.resize(2);
    curve.points[0].batch_size = 1;
    curve.points[1].batch_size = 7;
    for (StepPoint& point : curve.points) {
      for (double* part : {&point.forward_ms, &point.backward_ms, &point.update_ms}) *part = std::fmod(std::abs(*part), 1e8) + 1e-9;
      point.low_ms = std::fmod(std::abs(point.low_ms), 1e8);
      point.high_ms = point.low_ms * 2;
      point.device_bytes &= INT64_MAX;
    }
  }
  if (profile.copies.size() > 1) profile.copies.resize(1);  // one of each kind of memory
  for (CopyCurve& curve : profile.copies) {
    curve.gb_s = std::fmod(std::abs(curve.gb_s), 1e8) + 1e-6;
    curve.latency_us = std::fmod(std::abs(curve.latency_us), 1e8);
    curve.points.resize(2);
    double bytes = 0;
    for (CopyPoint& point : curve.points) {
      point.bytes = bytes += 4096;
      point.us = std::fmod(std::abs(point.us), 1e8) + 1e-6;
      point.low_us = point.us / 2;
      point.high_us = point.us * 2;
    }
    held_out(curve.hold_out);
  }
  const std::string text = encode(profile);
  RC_ASSERT(encode(decode_device_profile(text, "p")) == text);
}

RC_GTEST_PROP(RoundTrip, WhatCalibrateAsksAndItsChildAnswersArrive, ()) {
  const std::string request = encode_rates_request(any<RatesRequest>());
  RC_ASSERT(encode_rates_request(decode_rates_request(request)) == request);
  const std::string rates = encode_device_rates(any<DeviceRates>());
  RC_ASSERT(encode_device_rates(decode_device_rates(rates)) == rates);
}

TEST(RoundTripPath, ADataFolderWhoseNameIsNotUtf8IsStillFoundByTheChild) {
  TrialRequest request;
  request.setup.data.path = "photos \xFF\xFE";
  EXPECT_EQ(decode_trial_request(encode(request)).setup.data.path, "photos \xFF\xFE");
}

}  // namespace
}  // namespace feedtune
