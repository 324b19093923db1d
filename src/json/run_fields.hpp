#pragma once
// Fields of a run's facts, spec and notes. Internal to src/json.

#include "core/run.hpp"
#include "json/codec.hpp"
#include "json/setup_fields.hpp"

namespace feedtune {

template <class Io>
void fields(Io& io, Like<ToolFacts> auto& v) {
  io.field("version", v.version);
  io.field("commit", v.commit);
  io.field("compiler", v.compiler);
  io.field("build_type", v.build_type);
  io.field("libraries", v.libraries);
}

template <class Io>
void fields(Io& io, Like<CpuLimit> auto& v) {
  io.field("effective", v.effective);
  io.field("limited_by", v.limited_by);
  io.field("online", v.online);
  io.field("affinity", v.affinity);
  io.field("quota", v.quota);
}

template <class Io>
void fields(Io& io, Like<Fact> auto& v) {
  io.field("value", v.value);
  io.text_or_null("source", v.source);
  io.text_or_null("reason", v.reason);
}

template <class Io>
void fields(Io& io, Like<MachineFacts> auto& v) {
  io.field("cpus", v.cpus);
  io.field("facts", v.facts);
}

template <class Io>
void fields(Io& io, Like<DataFacts> auto& v) {
  io.field("layout", v.layout);
  io.field("images", v.images);
  io.field("bytes", v.bytes);
  io.field("digest", v.digest);
  io.field("skipped", v.skipped);
  io.field("notes", v.notes);
}

template <class Io>
void fields(Io& io, Like<DeviceFacts> auto& v) {
  io.field("name", v.name);
  io.field("title", v.title);
  io.field("modelled", v.modelled);
  io.field("copies", v.copies);
  io.field("fake", v.fake);
  io.field("memory_bytes", v.memory_bytes);
  io.field("precisions", v.precisions);
  io.field("pci_address", v.pci_address);
  io.field("uuid_hash", v.uuid_hash);
  io.later_field("facts", v.facts);
}

template <class Io>
void fields(Io& io, Like<ModelFacts> auto& v) {
  io.field("name", v.name);
  io.field("parameters", v.parameters);
  io.field("forward_flops_per_image", v.forward_flops_per_image);
  io.field("step_flops_per_image", v.step_flops_per_image);
  io.field("activation_bytes_per_image", v.activation_bytes_per_image);
}

template <class Io>
void fields(Io& io, Like<Budget> auto& v) {
  io.field("seconds", v.seconds);
  io.field("trials", v.trials);
}

template <class Io>
void fields(Io& io, Like<ReplaySource> auto& v) {
  io.field("file", v.file);
  io.field("digest", v.digest);
}

template <class Io>
void fields(Io& io, Like<Spec> auto& v) {
  io.path("data", "data_hex", v.data);
  io.field("device", v.device);
  io.field("model", v.model);
  io.field("step_times", v.step_times);
  io.field("axes", v.axes);
  io.field("current", v.current);
  io.later_field("baseline", v.baseline);
  io.later_field("replay", v.replay);
  io.field("strategy", v.strategy);
  io.field("budget", v.budget);
  io.field("trial_time_s", v.trial_time_s);
  io.field("cache", v.cache);
  io.field("image_size", v.image_size);
  io.field("seed", v.seed);
  io.field("anchors", v.anchors);
  io.field("within", v.within);
  io.field("origin", v.origin);
}

template <class Io>
void fields(Io& io, Like<RunNote> auto& v) {
  io.field("kind", v.kind);
  io.field("text", v.text);
}

/// What a run knows before its first trial.
template <class Io>
void header_fields(Io& io, Like<Run> auto& v) {
  io.field("started", v.started);
  io.field("tool", v.tool);
  io.field("machine", v.machine);
  io.field("data", v.data);
  io.field("device", v.device);
  io.field("model", v.model);
  io.field("spec", v.spec);
}

}  // namespace feedtune
