#include "replay/synthetic_machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "measure/statistics.hpp"
#include "replay/synthetic_space.hpp"

namespace feedtune {
namespace {

constexpr std::uint64_t seeds = 12;

SyntheticMachine machine_of(SyntheticFamily family, std::uint64_t seed = 1, const std::string& noise = "usual") {
  return SyntheticMachine(seed, {.family = family, .noise = synthetic_noise_named(noise), .small = false});
}

Configuration with(Configuration c, const std::string& axis, AxisValue value) {
  c.set(axis, std::move(value));
  return c;
}

TrialRequest request_of(const Configuration& c, std::int64_t id, Purpose purpose = Purpose::trial) {
  TrialRequest request;
  request.id = id;
  request.configuration = c;
  request.purpose = purpose;
  return request;
}

/// Without noise: what `purpose` gives.
double part_of(const SyntheticMachine& machine, const Configuration& c, Purpose purpose) {
  return machine.answer(request_of(c, 1, purpose), 0).images_per_s.value().mean;
}

SyntheticNoise no_noise() {
  SyntheticNoise noise;
  noise.cv = noise.within_cv = noise.drift = noise.spikes = 0;
  return noise;
}

std::size_t count_within(const SyntheticMachine& machine, double share) {
  const SearchSpace space = synthetic_space(machine);
  const double best = true_best(machine, space.configurations).images_per_s;
  return static_cast<std::size_t>(std::count_if(space.configurations.begin(), space.configurations.end(), [&](const Configuration& c) {
    return machine.true_images_per_s(c).value_or(0) >= (1 - share) * best;
  }));
}

TEST(SyntheticMachine, SpacesAreAsLargeAsTheGatesSayTheyAre) {
  for (const SyntheticFamily family : all_synthetic_families())
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const SyntheticMachine machine = machine_of(family, seed);
      const std::size_t size = synthetic_space(machine).configurations.size();
      if (family == SyntheticFamily::all_but_one_infeasible) EXPECT_GE(size, 400u);
      else EXPECT_GE(size, 1000u) << to_text(family) << ' ' << seed;
    }
}

TEST(SyntheticMachine, StepPlateausHaveHundredsOfTiesAndMixedMachinesFew) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) EXPECT_GE(count_within(machine_of(SyntheticFamily::step_plateau, seed), 0.02), 200u);
  std::vector<double> shares;
  for (std::uint64_t seed = 1; seed <= 40; ++seed)
    shares.push_back(static_cast<double>(count_within(machine_of(SyntheticFamily::mixed, seed), 0.02)));
  EXPECT_LE(median(shares), 20);  // of 1,000 and more
}

TEST(SyntheticMachine, TheOptimumLiesWhereTheFamilySays) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto best_of = [&](SyntheticFamily family) {
      const SyntheticMachine machine = machine_of(family, seed);
      return true_best(machine, synthetic_space(machine).configurations).configuration;
    };
    EXPECT_EQ(best_of(SyntheticFamily::zero_workers_best).integer("num_workers"), 0) << seed;
    const Configuration copied = best_of(SyntheticFamily::copy_bound);
    EXPECT_EQ(copied.text("input_type"), "uint8") << seed;
    EXPECT_EQ(copied.text("host_memory"), "pinned") << seed;
    const SyntheticMachine decoding = machine_of(SyntheticFamily::decode_bound, seed);
    EXPECT_GE(static_cast<double>(best_of(SyntheticFamily::decode_bound).integer("num_workers").value()), decoding.physical_cores() / 2) << seed;
    EXPECT_LE(best_of(SyntheticFamily::retrograde).integer("num_workers").value(), 8) << seed;  // of 16 CPUs

    const SyntheticMachine cliff = machine_of(SyntheticFamily::oom_cliff, seed);
    const Configuration before = best_of(SyntheticFamily::oom_cliff);
    const Configuration beyond = with(before, "batch_size", 2 * before.integer("batch_size").value());
    EXPECT_EQ(cliff.answer(request_of(beyond, 1), 0).memory_kind, MemoryKind::device) << seed;
  }
}

TEST(SyntheticMachine, OnlyOneWorksWhereTheFamilySaysSo) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const SyntheticMachine machine = machine_of(SyntheticFamily::all_but_one_infeasible, seed);
    EXPECT_EQ(count_within(machine, 0.99), 1u) << seed;
  }
}

TEST(SyntheticMachine, WhereAllIsEqualSoIsEveryTruth) {
  const SyntheticMachine machine = machine_of(SyntheticFamily::all_equal);
  const SearchSpace space = synthetic_space(machine);
  EXPECT_EQ(count_within(machine, 0), space.configurations.size());
}

TEST(SyntheticMachine, PartsAloneShowWhatTheFamilyIsAbout) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const auto quiet = [&](SyntheticFamily family) { return SyntheticMachine(seed, {.family = family, .noise = no_noise(), .small = false}); };
    Configuration c;
    c.set("loader", std::string("pooled"));
    c.set("decoder", std::string("turbo"));
    c.set("input_type", std::string("uint8"));
    c.set("batch_size", std::int64_t{16});
    const auto loading = [&](const SyntheticMachine& machine, std::int64_t workers, const char* type = "uint8") {
      return part_of(machine, with(with(c, "num_workers", workers), "input_type", std::string(type)), Purpose::loader_only);
    };
    const SyntheticMachine kink = quiet(SyntheticFamily::smt_kink);  // 8 cores of 2 threads
    EXPECT_GT(loading(kink, 8) / loading(kink, 4), 1.4) << seed;
    EXPECT_LT(loading(kink, 16) / loading(kink, 8), 1.12) << seed;
    const SyntheticMachine falling = quiet(SyntheticFamily::retrograde);
    EXPECT_LT(loading(falling, 16), loading(falling, 8)) << seed;
    const SyntheticMachine starved = quiet(SyntheticFamily::bandwidth_bound);
    const auto cpus = static_cast<std::int64_t>(starved.effective_cpus());
    const auto bytes_count = [&](std::int64_t workers) { return loading(starved, workers) / loading(starved, workers, "float32"); };
    EXPECT_GT(bytes_count(cpus), 1.02 * bytes_count(1)) << seed;
    const SyntheticMachine tiled = quiet(SyntheticFamily::tile_quantised);  // tiles of 96
    EXPECT_LT(part_of(tiled, with(c, "batch_size", std::int64_t{128}), Purpose::step_only),
              part_of(tiled, with(c, "batch_size", std::int64_t{96}), Purpose::step_only))
        << seed;
  }
}

TEST(SyntheticMachine, WhereTheStepRunsOnTheLoadersCoresTheTwoShareThem) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const SyntheticMachine machine(seed, {.family = SyntheticFamily::cpu_device, .noise = no_noise(), .small = false});
    feedtune::Run header;
    machine.describe(header);
    EXPECT_FALSE(header.device.copies);
    Configuration c;
    c.set("loader", std::string("pooled"));
    c.set("decoder", std::string("turbo"));
    c.set("input_type", std::string("uint8"));
    c.set("batch_size", std::int64_t{64});
    c.set("num_workers", static_cast<std::int64_t>(machine.physical_cores()));
    const auto of = [&](Purpose purpose) { return machine.answer(request_of(c, 1, purpose), 0); };
    const TrialResult whole = of(Purpose::trial), step = of(Purpose::step_only), load = of(Purpose::loader_only);
    // Both at once cannot take less of the cores than each alone: DESIGN's joint ceiling.
    const double core_s = step.host.cpu_s_per_image.value() + load.worker_ms_per_image.at("decode") / 1e3 * 0.8;
    EXPECT_LT(whole.images_per_s->mean, 1.1 * machine.physical_cores() / core_s) << seed;
    EXPECT_LT(whole.images_per_s->mean, step.images_per_s->mean) << seed;
    EXPECT_FALSE(whole.phases.contains("h2d"));
  }
}

TEST(SyntheticMachine, IrregularityIsAsLargeAsSaid) {
  // The same machine but for the irregularity: what is left is (0.04 - 0.012) of a standard normal.
  std::vector<double> logs;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const SyntheticMachine rough = machine_of(SyntheticFamily::rough, seed), mixed = machine_of(SyntheticFamily::mixed, seed);
    for (const Configuration& c : synthetic_space(mixed).configurations)
      if (const auto rate = mixed.true_images_per_s(c)) logs.push_back(std::log(rough.true_images_per_s(c).value() / *rate));
  }
  EXPECT_NEAR(moments(logs).deviation(), 0.028, 4 * 0.028 / std::sqrt(2.0 * static_cast<double>(logs.size())));
}

TEST(SyntheticMachine, MoreOfWhatTakesMemoryNeverFitsWhereLessDidNot) {
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const SyntheticMachine machine = machine_of(SyntheticFamily::mixed, seed);
    for (const Configuration& c : synthetic_space(machine).configurations) {
      if (machine.true_images_per_s(c)) continue;
      EXPECT_FALSE(machine.true_images_per_s(with(c, "batch_size", 2 * c.integer("batch_size").value()))) << c.key();
    }
  }
}

TEST(SyntheticMachine, TheFastestLeavesATenthOfTheDevicesMemoryFree) {
  for (const SyntheticFamily family : {SyntheticFamily::mixed, SyntheticFamily::oom_cliff, SyntheticFamily::tile_quantised})
    for (std::uint64_t seed = 1; seed <= 15; ++seed) {
      const SyntheticMachine machine = machine_of(family, seed);
      const TrialResult best = machine.answer(request_of(true_best(machine, synthetic_space(machine).configurations).configuration, 1), 0);
      ASSERT_EQ(best.status, TrialStatus::ok);
      EXPECT_LE(static_cast<double>(best.memory.device_peak_bytes.value()), 0.9 * static_cast<double>(best.memory.device_limit_bytes.value()));
    }
}

TEST(SyntheticMachine, TheSameSeedIsTheSameMachineAndTheSameNoise) {
  const SyntheticMachine one = machine_of(SyntheticFamily::mixed, 5), same = machine_of(SyntheticFamily::mixed, 5), other = machine_of(SyntheticFamily::mixed, 6);
  const SearchSpace space = synthetic_space(one);
  int alike = 0, id = 0;
  for (const Configuration& c : space.configurations) {
    ++id;
    const TrialResult a = one.answer(request_of(c, id), 3.0 * id), b = same.answer(request_of(c, id), 3.0 * id);
    ASSERT_EQ(a.status, b.status);
    ASSERT_EQ(a.cost_s, b.cost_s);
    if (!a.images_per_s) continue;
    ASSERT_EQ(a.images_per_s->mean, b.images_per_s->mean);
    ASSERT_EQ(a.images_per_s->high, b.images_per_s->high);
    const TrialResult different = other.answer(request_of(c, id), 3.0 * id);
    alike += different.images_per_s && different.images_per_s->mean == a.images_per_s->mean;
  }
  EXPECT_EQ(alike, 0);
}

TEST(SyntheticMachine, WhatItKnowsNothingOfIsUnsupported) {
  EXPECT_EQ(machine_of(SyntheticFamily::mixed).answer(request_of(Configuration(), 1), 0).status, TrialStatus::unsupported);
}

}  // namespace
}  // namespace feedtune
