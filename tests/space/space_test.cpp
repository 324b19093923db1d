#include "space/space.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <random>
#include <set>

#include "core/error.hpp"

using namespace feedtune;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace {

std::vector<AxisValue> numbers(std::initializer_list<std::int64_t> values) { return {values.begin(), values.end()}; }
std::vector<AxisValue> texts(std::initializer_list<const char*> values) { return {values.begin(), values.end()}; }

SpaceContext two_cpus() {
  SpaceContext context;
  context.effective_cpus = 2;
  context.device.name = "cpu";
  context.device.precisions = {"fp32"};
  context.data_images = 1000;
  return context;
}

SpaceContext gpu() {
  SpaceContext context;
  context.effective_cpus = 8;
  context.device.name = "virtual:rtx-2080ti";
  context.device.copies = true;
  context.device.precisions = {"fp32", "fp16"};
  context.data_images = 100'000;
  return context;
}

std::vector<std::int64_t> swept(const SearchSpace& space, const std::string& axis) {
  std::set<std::int64_t> values;
  for (const Configuration& configuration : space.configurations) {
    if (const auto value = configuration.integer(axis)) values.insert(*value);
  }
  return {values.begin(), values.end()};
}

std::set<std::string> swept_texts(const SearchSpace& space, const std::string& axis) {
  std::set<std::string> values;
  for (const Configuration& configuration : space.configurations) {
    if (const auto value = configuration.text(axis)) values.insert(*value);
  }
  return values;
}

template <class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const SpecError& error) {
    return error.what();
  }
  return "no SpecError";
}

/// What an axis must be given so that it means something.
SearchSpace every_axis_apart() {
  AxisSelections selections = {{"batch_size", numbers({64})}, {"num_workers", numbers({0, 4})}};
  return build_space(selections, gpu());
}

}  // namespace

TEST(Space, DefaultsFollowTheMachineAndTheDevice) {
  const SearchSpace cpu = build_space({}, two_cpus());
  EXPECT_THAT(swept(cpu, "batch_size"), ElementsAre(16, 32, 64, 128));
  EXPECT_THAT(swept(cpu, "num_workers"), ElementsAre(0, 1, 2, 4));
  EXPECT_THAT(swept(cpu, "model_threads"), ElementsAre(2));
  EXPECT_EQ(cpu.configurations.size(), 4u * 4u * 2u) << "batch x workers x loader; a CPU copies nothing";

  const SearchSpace virtual_gpu = build_space({}, gpu());
  EXPECT_THAT(swept(virtual_gpu, "batch_size"), ElementsAre(16, 32, 64, 128, 256, 512, 1024));
  EXPECT_THAT(swept(virtual_gpu, "num_workers"), ElementsAre(0, 1, 2, 4, 8, 16));
  EXPECT_EQ(virtual_gpu.configurations.size(), 7u * 6u * 2u * 2u);
  EXPECT_EQ(swept_texts(virtual_gpu, "precision"), (std::set<std::string>{"fp16"})) << "fp16 where bf16 is missing";

  SpaceContext newer = gpu();
  newer.device.precisions = {"fp32", "tf32", "bf16", "fp16"};
  EXPECT_EQ(swept_texts(build_space({}, newer), "precision"), (std::set<std::string>{"bf16"}));
}

TEST(Space, WorkerCountsReachTwiceFractionalAndOddCpus) {
  SpaceContext context = two_cpus();
  context.effective_cpus = 0.5;
  EXPECT_THAT(swept(build_space({}, context), "num_workers"), ElementsAre(0, 1));
  context.effective_cpus = 1.5;
  EXPECT_THAT(swept(build_space({}, context), "num_workers"), ElementsAre(0, 1, 2, 3));
  context.effective_cpus = 6;
  EXPECT_THAT(swept(build_space({}, context), "num_workers"), ElementsAre(0, 1, 2, 4, 6, 8, 12));
}

TEST(Space, DefaultsThatDependOnTheLoaderAndTheMemoryFollowThem) {
  for (const Configuration& configuration : build_space({}, gpu()).configurations) {
    const bool pooled = configuration.text("loader") == "pooled";
    EXPECT_EQ(configuration.text("decoder"), pooled ? "turbo" : "turbo_full");
    EXPECT_EQ(configuration.text("input_type"), pooled ? "uint8" : "float32");
    EXPECT_EQ(configuration.text("transfer"), configuration.text("host_memory") == "pinned" ? "overlapped" : "blocking");
    EXPECT_EQ(configuration.text("sync"), "none");
    EXPECT_EQ(configuration.text("storage"), "files");
    EXPECT_EQ(configuration.text("resize"), "antialias");
  }
}

TEST(Space, AnAxisThatMeansNothingIsAbsentAndOneThatDoesIsPresent) {
  for (const Configuration& configuration : build_space({}, gpu()).configurations) {
    const bool workers = configuration.integer("num_workers") != 0;
    const bool pooled = configuration.text("loader") == "pooled";
    EXPECT_EQ(configuration.has("prefetch"), workers && !pooled) << configuration.key();
    EXPECT_EQ(configuration.has("ready_batches"), workers && pooled) << configuration.key();
    EXPECT_EQ(configuration.has("worker_threads"), workers);
    EXPECT_EQ(configuration.has("affinity"), workers);
    EXPECT_FALSE(configuration.has("model_threads"));
    EXPECT_TRUE(configuration.has("host_memory") && configuration.has("transfer") && configuration.has("precision"));
  }
  for (const Configuration& configuration : build_space({}, two_cpus()).configurations) {
    EXPECT_FALSE(configuration.has("host_memory") || configuration.has("transfer"));
    EXPECT_TRUE(configuration.has("model_threads"));
  }
  SpaceContext user_step = gpu();
  user_step.user_step = true;
  for (const Configuration& configuration : build_space({}, user_step).configurations)
    EXPECT_FALSE(configuration.has("precision"));
}

TEST(Space, CollapsedAxesAreNamedWithTheirReason) {
  EXPECT_THAT(build_space({}, two_cpus()).collapsed, Contains("host_memory: cpu copies nothing"));
  EXPECT_THAT(build_space({}, gpu()).collapsed, Contains("model_threads: the step runs on virtual:rtx-2080ti"));
  const SearchSpace space = build_space({{"batch_size", numbers({32})},
                                         {"loader", texts({"batch_per_worker", "pooled"})},
                                         {"num_workers", numbers({0, 2})},
                                         {"host_memory", texts({"pinned"})},
                                         {"prefetch", numbers({1, 2})}},
                                        gpu());
  // batch_per_worker: 1 without workers + 2 with; pooled: 1 + 1.
  EXPECT_EQ(space.configurations.size(), 5u);
  EXPECT_THAT(space.collapsed, Contains("prefetch: pooled goes by ready_batches (2 of 5 configurations)"));
  EXPECT_THAT(space.collapsed, Contains("prefetch: 0 workers load nothing ahead (1 of 5 configurations)"));
}

TEST(Space, WhatTheUserGetsWrongIsSaidWithItsPlaceAndWhatIsAccepted) {
  const auto build = [](AxisSelections selections) { return message_of([&] { build_space(selections, gpu()); }); };
  EXPECT_EQ(build({{"num_worker", numbers({1})}}).substr(0, 71),
            "axes.num_worker: unknown axis, did you mean num_workers? known: affinit");
  EXPECT_THAT(build({{"colour", numbers({1})}}), HasSubstr("axes.colour: unknown axis; known: affinity, batch_size,"));
  EXPECT_EQ(build({{"batch_size", numbers({16, 32, 0})}}), "axes.batch_size[2]: got 0, want an integer >= 1");
  EXPECT_EQ(build({{"batch_size", texts({"big"})}}), "axes.batch_size[0]: got \"big\", want an integer >= 1");
  EXPECT_EQ(build({{"num_workers", numbers({-1})}}), "axes.num_workers[0]: got -1, want an integer >= 0");
  EXPECT_EQ(build({{"num_workers", numbers({5'000'000'000})}}), "axes.num_workers[0]: got 5000000000, want at most 1024");
  EXPECT_EQ(build({{"host_memory", texts({"pined"})}}),
            "axes.host_memory[0]: got \"pined\", did you mean pinned? want one of pageable, pinned");
  EXPECT_EQ(build({{"sync", numbers({1})}}), "axes.sync[0]: got 1, want one of none, each");
  EXPECT_EQ(build({{"precision", texts({"bf16"})}}),
            "axes.precision[0]: got \"bf16\", but virtual:rtx-2080ti has fp32, fp16");
  EXPECT_EQ(build({{"batch_size", {}}}), "axes.batch_size: no values, want a list of an integer >= 1");
  EXPECT_EQ(build({{"batch_size", numbers({8, 16, 8})}}), "axes.batch_size[2]: 8 is listed twice");
}

TEST(Space, ABatchIsNeverLargerThanTheDataSet) {
  SpaceContext few = two_cpus();
  few.data_images = 40;
  EXPECT_THAT(swept(build_space({}, few), "batch_size"), ElementsAre(16, 32));
  EXPECT_EQ(message_of([&] { build_space({{"batch_size", numbers({41})}}, few); }),
            "axes.batch_size[0]: got 41, want at most 40: the data has no more images");
  few.data_images = 5;
  EXPECT_THAT(swept(build_space({}, few), "batch_size"), ElementsAre(5));
}

TEST(Space, ATooLargeSpaceIsRefusedBeforeItFillsMemory) {
  std::vector<AxisValue> hundreds;
  for (std::int64_t i = 1; i <= 400; ++i) hundreds.emplace_back(i);
  AxisSelections selections = {{"batch_size", hundreds}, {"num_workers", hundreds}, {"prefetch", hundreds}};
  // 400 batches x 400 workers x 2 memories x (400 prefetches with batch_per_worker + 1 with pooled)
  EXPECT_EQ(message_of([&] { build_space(selections, gpu()); }),
            "axes: 128320000 configurations, at most 1000000 are possible; give fewer values");
}

TEST(Space, DefaultBatchesKeepATenthOfDeviceMemoryFreeAndChosenOnesDoNot) {
  SpaceContext small = gpu();
  small.device.memory_bytes = 1000;
  small.planned_device_bytes = [](const Configuration& configuration) -> std::optional<std::uint64_t> {
    return static_cast<std::uint64_t>(*configuration.integer("batch_size")) * 7 / 2;  // 256 -> 896, 512 -> 1792
  };
  const SearchSpace space = build_space({}, small);
  EXPECT_EQ(swept(space, "batch_size").back(), 256);
  ASSERT_EQ(space.left_out.size(), 1u);
  EXPECT_THAT(space.left_out[0], HasSubstr("batch size 512, 1024) would need more than 90 %"));

  small.device.memory_bytes = 990;  // 896 bytes would leave less than a tenth
  EXPECT_EQ(swept(build_space({}, small), "batch_size").back(), 128);
  EXPECT_THAT(swept(build_space({{"batch_size", numbers({64, 512})}}, small), "batch_size"), ElementsAre(64, 512));
  small.device.memory_bytes = 10;
  EXPECT_THAT(message_of([&] { build_space({}, small); }), HasSubstr("axes.batch_size: nothing fits: batch size 16"));
}

TEST(Space, WhatTheHostsMemoryCannotHoldIsNeverTriedThoughItsValuesAreGiven) {
  SpaceContext small = gpu();
  small.host_memory_bytes = 10'000;
  small.planned_host_bytes = [](const Configuration& configuration) { return static_cast<std::uint64_t>(*configuration.integer("batch_size")) * 100; };
  const SearchSpace space = build_space({{"batch_size", numbers({64, 90, 91})}}, small);
  EXPECT_THAT(swept(space, "batch_size"), ElementsAre(64, 90)) << "a tenth stays free";
  EXPECT_THAT(space.left_out, ElementsAre(HasSubstr("(batch size 91) would need more than 90 % of the host's 0.0 GB")));
  EXPECT_THAT(message_of([&] { build_space({{"batch_size", numbers({91})}}, small); }), HasSubstr("axes.batch_size: nothing fits: batch size 91"));
  small.host_memory_bytes.reset();
  EXPECT_THAT(swept(build_space({{"batch_size", numbers({91})}}, small), "batch_size"), ElementsAre(91));
}

TEST(Space, CompletesWhatTheUserSaysOfTheirOwnSettings) {
  const SearchSpace space = build_space({{"storage", texts({"memory"})}, {"batch_size", numbers({64, 128})}}, gpu());
  Configuration given;
  given.set("num_workers", std::int64_t{4});
  given.set("host_memory", "pinned");
  const Completed completed = complete(given, space, "current");
  EXPECT_THAT(completed.dropped, IsEmpty());
  EXPECT_EQ(completed.configuration.integer("num_workers"), 4);
  EXPECT_EQ(completed.configuration.text("transfer"), "overlapped");
  EXPECT_EQ(completed.configuration.text("storage"), "memory") << "what the user fixed holds here too";
  EXPECT_EQ(completed.configuration.integer("prefetch"), 2);
  given.set("num_workers", std::int64_t{0});
  given.set("prefetch", std::int64_t{4});
  EXPECT_THAT(complete(given, space, "current").dropped, ElementsAre("prefetch: 0 workers load nothing ahead"));
  given.set("num_worker", std::int64_t{0});
  EXPECT_THAT(message_of([&] { complete(given, space, "current"); }), HasSubstr("current.num_worker: unknown axis"));
}

TEST(Space, TheBaselineIsTheDocumentedOneAndPartOfTheDefaultSpace) {
  const auto baseline = [](std::int64_t batch_size, const SearchSpace& in) {
    const Configuration given(std::map<std::string, AxisValue>{
        {"batch_size", batch_size}, {"loader", "batch_per_worker"}, {"num_workers", std::int64_t{0}}, {"host_memory", "pageable"},
        {"decoder", "turbo_full"}, {"input_type", "float32"}, {"transfer", "blocking"}, {"sync", "none"}});
    return complete(given, in, "baseline").configuration;
  };
  const SearchSpace space = build_space({}, gpu());
  const Configuration base = baseline(64, space);
  EXPECT_EQ(base.key(),
            "batch_size=64,decoder=turbo_full,host_memory=pageable,input_type=float32,loader=batch_per_worker,"
            "num_workers=0,precision=fp16,resize=antialias,storage=files,sync=none,transfer=blocking");
  EXPECT_THAT(space.configurations, Contains(base));
  const SearchSpace cpu = build_space({}, two_cpus());
  EXPECT_THAT(cpu.configurations, Contains(baseline(32, cpu)));
}

TEST(Space, EveryAxisChangesTheTrialItIsAppliedTo) {
  // One configuration with a value unlike TrialSetup's own for each axis; all have to arrive.
  Configuration configuration;
  configuration.set("batch_size", std::int64_t{17});
  configuration.set("num_workers", std::int64_t{3});
  configuration.set("prefetch", std::int64_t{5});
  configuration.set("ready_batches", std::int64_t{6});
  configuration.set("worker_threads", std::int64_t{7});
  configuration.set("model_threads", std::int64_t{8});
  configuration.set("host_memory", "pinned");
  configuration.set("pinning", "register");
  configuration.set("loader", "pooled");
  configuration.set("decoder", "opencv");
  configuration.set("input_type", "float32");
  configuration.set("resize", "linear");
  configuration.set("transfer", "overlapped");
  configuration.set("sync", "each");
  configuration.set("precision", "bf16");
  configuration.set("storage", "memory");
  configuration.set("affinity", "node");
  EXPECT_EQ(configuration.values().size(), ordered_axes().size()) << "an axis is missing from this test";
  const TrialSetup setup = apply(configuration, TrialSetup{});
  EXPECT_EQ(setup.loader.batch_size, 17);
  EXPECT_EQ(setup.loader.num_workers, 3);
  EXPECT_EQ(setup.loader.prefetch, 5);
  EXPECT_EQ(setup.loader.ready_batches, 6);
  EXPECT_EQ(setup.loader.worker_threads, 7);
  EXPECT_EQ(setup.step.model_threads, 8);
  EXPECT_EQ(setup.loader.host_memory, HostMemory::pinned);
  EXPECT_EQ(setup.loader.pinning, Pinning::registered);
  EXPECT_EQ(setup.loader.kind, LoaderKind::pooled);
  EXPECT_EQ(setup.loader.decoder, "opencv");
  EXPECT_EQ(setup.loader.input_type, InputType::float32);
  EXPECT_EQ(setup.loader.resize, Resize::linear);
  EXPECT_EQ(setup.step.transfer, Transfer::overlapped);
  EXPECT_EQ(setup.step.sync, Sync::each);
  EXPECT_EQ(setup.step.precision, Precision::bf16);
  EXPECT_EQ(setup.loader.storage, Storage::memory);
  EXPECT_EQ(setup.loader.affinity, Affinity::node);
  configuration.set("devices", std::int64_t{2});
  EXPECT_THROW(apply(configuration, TrialSetup{}), InputError);
}

TEST(Space, EveryAxisSaysWhatItIsAndItsDefaultsAreValid) {
  for (const SpaceContext& context : {two_cpus(), gpu()}) {
    for (const Axis& axis : ordered_axes()) {
      EXPECT_FALSE(axis.summary.empty() || axis.accepted.empty()) << axis.name;
      ASSERT_FALSE(axis.defaults(context).empty()) << axis.name;
      for (const AxisValue& value : axis.defaults(context))
        EXPECT_EQ(axis.reject(value, context), "") << axis.name << '=' << to_text(value);
    }
  }
  for (const Configuration& configuration : every_axis_apart().configurations) {
    for (const auto& [name, value] : configuration.values())
      EXPECT_EQ(axis_named(name, "").reject(value, gpu()), "") << name << '=' << to_text(value);
  }
}

TEST(Space, AnyRestrictionGivesDistinctSortedConfigurationsWhateverTheOrder) {
  rc::check("build_space", [](std::uint64_t seed) {
    std::mt19937_64 random(seed);
    AxisSelections selections = {{"batch_size", numbers({64})}, {"num_workers", numbers({0, 4})}}, reversed;
    for (int i = 0; i < 4; ++i) {
      const Axis& axis = ordered_axes()[random() % ordered_axes().size()];
      std::vector<AxisValue> values = axis.defaults(gpu());
      std::shuffle(values.begin(), values.end(), random);
      values.resize(std::min<std::size_t>(values.size(), 1 + random() % 3));
      selections[axis.name] = values;
    }
    for (const auto& [name, values] : selections) reversed[name] = {values.rbegin(), values.rend()};
    const SearchSpace space = build_space(selections, gpu());
    RC_ASSERT(!space.configurations.empty());
    RC_ASSERT(std::is_sorted(space.configurations.begin(), space.configurations.end()));
    RC_ASSERT(std::adjacent_find(space.configurations.begin(), space.configurations.end()) == space.configurations.end());
    RC_ASSERT(build_space(reversed, gpu()).configurations == space.configurations);
    for (const Configuration& configuration : space.configurations) {
      // A configuration says all: completing it adds nothing and drops nothing.
      const Completed again = complete(configuration, space, "x");
      RC_ASSERT(again.configuration == configuration);
      RC_ASSERT(again.dropped.empty());
    }
  });
}
