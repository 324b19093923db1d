// How the data at hand is read: what a pack offers, what is missing without one, and that the user is told how to get it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.hpp"
#include "space/space.hpp"

using namespace feedtune;

namespace {

SpaceContext files_only() {
  SpaceContext context;
  context.effective_cpus = 2;
  context.device.name = "cpu";
  context.device.precisions = {"fp32"};
  context.data_images = 1000;
  context.storage_missing["packed"] = "this data is not packed; run feedtune pack";
  return context;
}

SpaceContext pack_without_originals() {
  SpaceContext context = files_only();
  context.storage = "packed";
  context.storage_missing = {{"files", "the originals are gone"}, {"memory", "the originals are gone"}};
  return context;
}

}  // namespace

TEST(StorageAxis, AskingForAPackThatIsNotThereSaysHowToMakeOne) {
  try {
    build_space({{"storage", {AxisValue("files"), AxisValue("packed")}}}, files_only());
    FAIL();
  } catch (const SpecError& error) {
    EXPECT_STREQ(error.what(), "axes.storage[1]: got \"packed\", but this data is not packed; run feedtune pack");
  }
}

TEST(StorageAxis, OnlyWhatTheDataHasIsTried) {
  const Axis& axis = axis_named("storage", "test");
  EXPECT_THAT(axis.defaults(files_only()), testing::ElementsAre(AxisValue("files"), AxisValue("memory")));
  EXPECT_THAT(axis.defaults(pack_without_originals()), testing::ElementsAre(AxisValue("packed")));
}

static Configuration completed(const SearchSpace& space) {
  return complete(Configuration({{"batch_size", std::int64_t{64}}}), space, "test").configuration;
}

TEST(StorageAxis, APackedFolderIsReadAsAPackUnlessToldOtherwise) {
  const SearchSpace space = build_space({}, pack_without_originals());
  for (const auto& configuration : space.configurations) EXPECT_EQ(configuration.text("storage"), "packed");
  EXPECT_EQ(completed(space).text("storage"), "packed") << "gains are counted over the same data";
  EXPECT_EQ(completed(build_space({}, files_only())).text("storage"), "files");
  EXPECT_THROW(build_space({{"storage", {AxisValue("files")}}}, pack_without_originals()), SpecError);
}
