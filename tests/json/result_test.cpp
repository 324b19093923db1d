#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/error.hpp"
#include "full_run.hpp"
#include "json/run_json.hpp"
#include "json/trial_json.hpp"
#include "json/value.hpp"

namespace feedtune {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Written by hand after results/README.md, with members that this version doesn't know.
constexpr const char* by_hand = R"({
  "schema": "feedtune.result", "schema_version": "0.7", "complete": true, "started": "2026-12-01T23:07:00Z", "news": [1],
  "tool": {"version": "0.7.0", "commit": "c", "compiler": "g", "build_type": "Release", "libraries": {"fmt": "9.1"}},
  "machine": {"cpus": {"effective": 1.5, "limited_by": "cgroup v2 /a", "online": 4, "affinity": 4, "quota": 1.5},
              "facts": {"memory_bytes": {"value": 17179869184, "source": "/proc/meminfo", "reason": null}}},
  "data": {"layout": "classes", "images": 10, "bytes": 1000, "digest": "d", "skipped": 0, "notes": []},
  "device": {"name": "cpu", "title": "CPU", "modelled": false, "copies": false, "fake": false, "memory_bytes": null, "precisions": ["fp32"]},
  "model": {"name": "mixer-nano", "parameters": 5, "forward_flops_per_image": 1e6, "step_flops_per_image": 3e6, "activation_bytes_per_image": 7},
  "spec": {"data": "photos", "device": "cpu", "model": "mixer-nano", "step_times": [], "axes": {"num_workers": [0, 2]}, "current": null,
           "strategy": "grid", "budget": {"seconds": null, "trials": 24}, "trial_time_s": 3, "cache": "as-is", "image_size": 224,
           "seed": 18446744073709551615, "anchors": false, "within": 0.02, "origin": {}},
  "ceilings": {"loader_images_per_s": 900, "loader_configuration": null, "h2d_images_per_s": null, "step_images_per_s": 1100.5,
               "joint_cpu_images_per_s": null, "binds": "loader"},
  "trials": [{"id": 1, "configuration": {"batch_size": 64, "host_memory": "pinned", "an_axis_of_tomorrow": "x"}, "purpose": "loader_only",
    "stage": "component", "block": 0, "order": 1, "incarnation": 1, "status": "ok", "memory_kind": null, "reason": null,
    "stop_reason": "interval", "modelled": false, "images_per_s": {"mean": 800, "ci95": [790, 810], "n": 12},
    "phases_ms": {"step": {"mean": 80, "p50": 79, "p95": 85, "p99": 90, "max": 99, "count": 3, "histogram": [[130, 2], [132, 1]]}},
    "worker_ms_per_image": {"decode": 2.5}, "cpu_s_per_image": 0.0025, "device_busy": 0.5,
    "memory": {"resident_peak_bytes": 1, "batch_buffer_bytes": 2, "pinned_bytes": 3, "pinned_locked_bytes": 4, "device_peak_bytes": 5, "device_limit_bytes": 6},
    "host": {"cpu_user_s": 1, "run_delay_s": 0.5, "voluntary_switches": 7},
    "images": {"decoded": 192, "damaged": 1, "failed": 0}, "files": [{"path": "a.jpg", "reason": "slow", "ms": 12.5}],
    "first_batch_ms": 100, "startup_s": 0.25, "epoch_turn_ms": null, "warmup_steps": 5, "measured_steps": 3, "measured_s": 0.24,
    "cost_s": 1, "samples": {"step_us": [79000, 80000, 81000]}, "unknown": {"host.cpu_mhz": "no cpufreq"}}],
  "notes": [{"kind": "drift", "text": "2 %"}],
  "recommendation": null
})";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const auto at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  if (at != std::string::npos) text.replace(at, what.size(), by);
  return text;
}

std::string error_of(const std::string& text) {
  try {
    decode_run(text, "r.json");
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Result, FieldsMeanWhatTheReadmeSays) {
  const feedtune::Run run = decode_run(by_hand, "r.json");
  EXPECT_TRUE(run.complete);
  EXPECT_EQ(run.machine.cpus.effective, 1.5);
  EXPECT_EQ(std::get<std::int64_t>(*run.machine.facts.at("memory_bytes").value), 17179869184);
  EXPECT_EQ(run.spec.seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(run.spec.cache, CachePolicy::as_is);
  EXPECT_EQ(run.spec.budget.trials, 24);
  EXPECT_EQ(run.spec.budget.seconds, std::nullopt);
  ASSERT_EQ(run.trials.size(), 1u);
  const TrialResult& t = run.trials[0];
  EXPECT_EQ(t.configuration.key(), "an_axis_of_tomorrow=x,batch_size=64,host_memory=pinned");
  EXPECT_EQ(t.purpose, Purpose::loader_only);
  EXPECT_EQ(t.images_per_s->low, 790);
  EXPECT_EQ(t.images_per_s->high, 810);
  EXPECT_EQ(t.phases.at("step").p95, 85);
  EXPECT_THAT(t.phases.at("step").histogram, ElementsAre(std::pair(130, 2), std::pair(132, 1)));
  EXPECT_EQ(t.host.cpu_s_per_image, 0.0025);
  EXPECT_EQ(t.host.run_delay_s, 0.5);
  EXPECT_EQ(t.host.cpu_mhz, std::nullopt);
  EXPECT_EQ(t.memory.pinned_locked_bytes, 4);
  EXPECT_THAT(t.step_us, ElementsAre(79000, 80000, 81000));
  EXPECT_EQ(t.unknown.at("host.cpu_mhz"), "no cpufreq");
  EXPECT_EQ(t.reason, "");
}

TEST(Result, EveryFieldOfAFullRunComesBack) {
  const feedtune::Run run = testing::full_run();
  const feedtune::Run back = decode_run(encode(run), "r.json");
  EXPECT_EQ(encode(back), encode(run));
  EXPECT_EQ(back.recommendation->ceilings.step, 1100);
  EXPECT_EQ(back.recommendation->gains.size(), 2u);
  EXPECT_EQ(back.trials[1].memory_kind, MemoryKind::device);
}

TEST(Result, TheGainApartIsOverTheCurrentSettings) {
  const JsonValue json = parse_json(encode(testing::full_run()), "r");
  EXPECT_EQ(*json.find("recommendation")->find("gain")->find("over")->text(), "current");
  EXPECT_EQ(json.find("recommendation")->find("ceilings"), nullptr);
  const JsonValue alone = parse_json(encode(*testing::full_run().recommendation), "r");
  EXPECT_NE(alone.find("ceilings")->find("loader_images_per_s"), nullptr);
}

TEST(Result, AnotherSchemaOrANewerMajorVersionIsRefusedInPlainWords) {
  EXPECT_THAT(error_of("{}"), HasSubstr("r.json:1: has no \"schema\", want \"feedtune.result\""));
  EXPECT_THAT(error_of("[]"), HasSubstr("got a list, want an object"));
  EXPECT_THAT(error_of(replaced(by_hand, "feedtune.result", "other.tool")), HasSubstr("r.json:2: schema: got \"other.tool\", want \"feedtune.result\""));
  EXPECT_THAT(error_of(replaced(by_hand, "0.7", "2.0")),
              HasSubstr("written by a newer feedtune (schema 2.0; this one reads up to 0.x)"));
  for (const char* version : {"", "1", "x.y", "0.", ".1", "0.1.2", "-0.1", "99999999999.0"})
    EXPECT_THAT(error_of(replaced(by_hand, "\"0.7\"", "\"" + std::string(version) + "\"")), HasSubstr("schema_version")) << version;
}

TEST(Result, WrongTypesAreNamedByLineAndPath) {
  EXPECT_THAT(error_of(replaced(by_hand, "\"p95\": 85", "\"p95\": \"85\"")),
              ::testing::MatchesRegex("r.json:[0-9]+: trials\\[0\\].phases_ms.step.p95: got \"85\", want a number"));
  EXPECT_THAT(error_of(replaced(by_hand, "\"status\": \"ok\"", "\"status\": \"fine\"")),
              HasSubstr("trials[0].status: got \"fine\", want ok, out_of_memory, timeout, crashed, invalid, unsupported, too_short, no_steady_state"));
  EXPECT_THAT(error_of(replaced(by_hand, "\"batch_size\": 64", "\"batch_size\": 64.5")),
              HasSubstr("trials[0].configuration.batch_size: got 64.5, want an integer or a name"));
  EXPECT_THAT(error_of(replaced(by_hand, "[79000", "[3000000000")), HasSubstr("trials[0].samples.step_us[0]: got 3000000000, want an integer from"));
  EXPECT_THAT(error_of(replaced(by_hand, "\"ci95\": [790, 810]", "\"ci95\": [790]")), HasSubstr("images_per_s.ci95: want a list of two"));
  EXPECT_THAT(error_of(replaced(by_hand, "\"block\": 0, ", "")), HasSubstr("trials[0]: \"block\" is missing"));
  EXPECT_THAT(error_of(replaced(by_hand, "\"seed\": 18446744073709551615", "\"seed\": -1")), HasSubstr("spec.seed: got -1, want an integer from 0"));
  EXPECT_THAT(error_of(replaced(by_hand, "\"complete\": true", "\"complete\": 1")), HasSubstr("complete: got 1, want true or false"));
  EXPECT_THAT(error_of(replaced(by_hand, "\"affinity\": 4", "\"affinity\": 4294967297")), HasSubstr("affinity: got 4294967297"));
}

TEST(Result, ANumberThatIsNotFiniteIsAbsentWithAReasonAndNeverNan) {
  TrialResult t = testing::full_run().trials[0];
  t.images_per_s->high = std::numeric_limits<double>::infinity();
  t.phases["step"].p99 = std::nan("");
  t.host.cpu_s_per_image = std::nan("");
  t.measured_s = std::nan("");
  t.oscillation->waiting = std::nan("");
  t.gpu->oscillation->period_s = std::nan("");
  const std::string text = encode(t);
  EXPECT_THAT(text, ::testing::Not(HasSubstr("inf")));
  const TrialResult back = decode_trial_result(text, "t");
  EXPECT_EQ(back.images_per_s, std::nullopt) << "an interval without an end";
  EXPECT_FALSE(back.phases.contains("step"));
  EXPECT_TRUE(back.phases.contains("data_wait"));
  EXPECT_EQ(back.host.cpu_s_per_image, std::nullopt);
  EXPECT_FALSE(back.oscillation);
  EXPECT_FALSE(back.gpu->oscillation);
  for (const char* name : {"images_per_s", "phases_ms.step", "cpu_s_per_image", "measured_s", "oscillation", "gpu.oscillation"})
    EXPECT_EQ(back.unknown.at(name), "not a finite number") << name;
}

TEST(Validate, EqualStepsWhoseMeanDiffersInTheLastDigitAreNoContradiction) {
  feedtune::Run run = testing::full_run();
  run.trials.front().phases["step"] = {1.59532, 1.5953199999999998, 1.5953199999999998, 1.5953199999999998, 1.5953199999999998, 10, {}};
  EXPECT_THAT(validate_result(encode(run), "r.json"), IsEmpty());
}

TEST(Result, ValidateFindsNothingInASoundRunAndContradictionsInOthers) {
  EXPECT_THAT(validate_result(by_hand, "r.json"), IsEmpty());
  EXPECT_THAT(validate_result(encode(testing::full_run()), "r.json"), IsEmpty());
  EXPECT_THAT(validate_result(encode(testing::minimal_run()), "r.json"), IsEmpty());
  EXPECT_THAT(validate_result("{", "r.json"), ElementsAre(HasSubstr("r.json:1:")));

  feedtune::Run run = testing::full_run();
  run.trials[1].id = 1;
  run.trials[1].reason.clear();
  run.trials[0].images_per_s->low = 900;
  run.trials[0].phases["step"].p95 = 1000;
  run.trials[0].device_busy = 1.5;
  run.trials[0].images.damaged = 20'000;
  run.recommendation->gains[1].detectable = -0.04;
  EXPECT_THAT(validate_result(encode(run), "r.json"),
              ::testing::UnorderedElementsAre(HasSubstr("trials[1].id: 1 stands twice"), HasSubstr("trials[1].reason"),
                                              HasSubstr("trials[0].images_per_s: mean 812.5 lies outside"),
                                              HasSubstr("trials[0].phases_ms.step: p50"), HasSubstr("trials[0].device_busy"),
                                              HasSubstr("trials[0].images: more damaged"),
                                              HasSubstr("recommendation.gains[1].minimal_detectable_effect")));
}

TEST(Result, FiveHundredTrialsStayUnderFiveMegabytes) {
  feedtune::Run run = testing::full_run();
  TrialResult t = run.trials[0];
  for (const char* phase : phase_names) {
    t.phases[phase] = t.phases["step"];
    for (int bucket = 100; bucket < 124; ++bucket) t.phases[phase].histogram.emplace_back(bucket, 17);
  }
  t.step_us.assign(300, 12'345);  // 3 s of steps of 10 ms
  run.trials.assign(50, t);
  EXPECT_LT(encode(run).size(), 500'000u) << "a tenth of both";
}

}  // namespace
}  // namespace feedtune
