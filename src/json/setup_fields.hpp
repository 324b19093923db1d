#pragma once
// Fields of a trial's request and set-up. Internal to src/json.

#include "core/trial.hpp"
#include "json/codec.hpp"
#include "json/profile_fields.hpp"

namespace feedtune {

template <class Io>
void fields(Io& io, Like<StepTime> auto& v) {
  io.field("step_ms", v.step_ms);
  io.field("batch_size", v.batch_size);
}

template <class Io>
void fields(Io& io, Like<DataSetup> auto& v) {
  io.path("path", "path_hex", v.path);
  io.field("seed", v.seed);
  io.field("image_size", v.image_size);
  io.field("fingerprint", v.fingerprint);
}

template <class Io>
void fields(Io& io, Like<LoaderSetup> auto& v) {
  io.field("kind", v.kind);
  io.field("batch_size", v.batch_size);
  io.field("num_workers", v.num_workers);
  io.field("prefetch", v.prefetch);
  io.field("ready_batches", v.ready_batches);
  io.field("decoder", v.decoder);
  io.field("worker_threads", v.worker_threads);
  io.field("input_type", v.input_type);
  io.field("resize", v.resize);
  io.field("storage", v.storage);
  io.field("affinity", v.affinity);
  io.field("host_memory", v.host_memory);
  io.field("pinning", v.pinning);
}

template <class Io>
void fields(Io& io, Like<StepSetup> auto& v) {
  io.field("transfer", v.transfer);
  io.field("sync", v.sync);
  io.field("precision", v.precision);
  io.field("model_threads", v.model_threads);
  io.field("model", v.model);
  io.field("times", v.times);
}

template <class Io>
void fields(Io& io, Like<TrialSetup> auto& v) {
  io.field("data", v.data);
  io.field("loader", v.loader);
  io.field("step", v.step);
  io.field("device", v.device);
  io.field("profile", v.profile);
}

template <class Io>
void fields(Io& io, Like<TrialTarget> auto& v) {
  io.field("min_time_s", v.min_time_s);
  io.field("max_time_s", v.max_time_s);
  io.field("relative_half_width", v.relative_half_width);
  io.field("cache", v.cache);
}

template <class Io>
void fields(Io& io, Like<TrialRequest> auto& v) {
  io.field("id", v.id);
  io.field("configuration", v.configuration);
  io.field("purpose", v.purpose);
  io.field("stage", v.stage);
  io.field("block", v.block);
  io.field("target", v.target);
  io.field("time_limit_s", v.time_limit_s);
  io.field("asked_ns", v.asked_ns);
  io.field("setup", v.setup);
}

}  // namespace feedtune
