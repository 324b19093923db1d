// The profiles of configs/devices held against published throughputs of near relatives: a profile that is off by a
// factor would answer "does this host feed that GPU?" wrongly. configs/devices/README.md has the figures and sources.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "build_paths.hpp"
#include "json/device_profile_json.hpp"
#include "model/model.hpp"
#include "virtual_fixture.hpp"

using namespace feedtune;

namespace {

DeviceProfile profile(const std::string& name) {
  const std::string path = std::string(build_paths::sources) + "/configs/devices/" + name + ".json";
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return decode_device_profile(text.str(), path);
}

/// Modelled training throughput of mixer-s16 at 224 px from its second to its third step, the input being there.
double images_per_s(const std::string& name, Precision precision, int batch_size) {
  const auto clock = std::make_shared<ManualClock>();
  const auto device = make_virtual_device(profile(name), clock);
  const auto step = make_mixer(*device, model_preset("mixer-s16"), {.batch_size = batch_size, .precision = precision});
  const std::size_t values = static_cast<std::size_t>(batch_size) * 3 * 224 * 224;
  const DeviceBuffer input = device->memory().allocate(values);
  const DeviceBuffer labels = device->memory().allocate(static_cast<std::size_t>(batch_size) * 4);
  const auto stream = device->create_stream();
  const auto event = device->create_event();
  Nanoseconds ends[3];
  for (Nanoseconds& end : ends) {
    step->forward(*stream, {input.address(), values, Element::u8});
    step->backward(*stream, labels.address());
    step->update(*stream);
    stream->record(*event);
    event->synchronize();
    end = event->time();
  }
  return batch_size / to_s(ends[2] - ends[1]);
}

}  // namespace

TEST(VirtualProfiles, EachCardTrainsAtThePaceOfItsPublishedRelativesOrUpToThreeTimesIt) {
  struct Card {
    const char* name;
    int batch_size;
    double relative;  ///< images/s, published: ResNet-50 or mixer_s16 in a framework, mixed precision
    bool same_model;  ///< the same GEMMs, trained
  };
  const Card cards[] = {{"t4", 128, 400, false},        {"rtx-2080ti", 128, 467, false}, {"rtx-3090", 256, 1661, true},
                        {"rtx-4090", 256, 2270, false}, {"a100-40g", 256, 2470, false},  {"h100-sxm", 256, 4940, false}};
  for (const Card& card : cards) {
    const double modelled = images_per_s(card.name, Precision::fp16, card.batch_size);
    EXPECT_GE(modelled, card.relative) << card.name;
    EXPECT_LE(modelled, card.same_model ? 1.33 * card.relative : 3 * card.relative) << card.name;
  }
}

TEST(VirtualProfiles, AnH200IsAnH100WithFasterMemoryAndMoreOfIt) {
  const double h100 = images_per_s("h100-sxm", Precision::bf16, 256), h200 = images_per_s("h200-sxm", Precision::bf16, 256);
  EXPECT_GT(h200, h100);
  EXPECT_LT(h200, 4800.0 / 3352 * h100) << "the datasheets' bandwidths: the products gain nothing";
}

TEST(VirtualProfiles, TheL4StandsBetweenTheT4AndTheRtx3090) {
  const double t4 = images_per_s("t4", Precision::fp16, 128), l4 = images_per_s("l4", Precision::fp16, 128);
  EXPECT_GT(l4, t4);
  EXPECT_LT(l4, 4.4 * t4);  // the most that DEEP-GAP (arXiv 2604.14552) saw, in inference
  EXPECT_LT(l4, 1661);
}

TEST(VirtualProfiles, AnH100OnACardStandsBetweenAnA100AndTheOneOnAModule) {
  const double pcie = images_per_s("h100-pcie", Precision::bf16, 256);
  EXPECT_GT(pcie, images_per_s("a100-80g", Precision::bf16, 256));
  EXPECT_LT(pcie, images_per_s("h100-sxm", Precision::bf16, 256));
}

TEST(VirtualProfiles, AnL40sStandsBetweenTheL4AndTheA100) {
  const double l40s = images_per_s("l40s", Precision::fp16, 256);
  EXPECT_GT(l40s, images_per_s("l4", Precision::fp16, 256));
  EXPECT_LT(l40s, images_per_s("a100-40g", Precision::fp16, 256)) << "its memory has half the bandwidth, and the step is not all products";
}

TEST(VirtualProfiles, HalfPrecisionPaysOnACardWithTensorCores) {
  EXPECT_GT(images_per_s("rtx-2080ti", Precision::fp16, 64), 1.5 * images_per_s("rtx-2080ti", Precision::fp32, 64));
}
