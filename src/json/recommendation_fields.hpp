#pragma once
// Fields of the answer. Internal to src/json.

#include "core/recommendation.hpp"
#include "json/codec.hpp"
#include "json/trial_fields.hpp"

namespace feedtune {

template <class Io>
void fields(Io& io, Like<Candidate> auto& v) {
  io.field("configuration", v.configuration);
  io.field("images_per_s", v.images_per_s);
  io.field("loss", v.loss);
  io.field("verdict", v.verdict);
  io.field("stage", v.stage);
  io.field("planned_memory_bytes", v.planned_memory_bytes);
}

template <class Io>
void fields(Io& io, Like<Ceilings> auto& v) {
  io.field("loader_images_per_s", v.loader);
  io.text_or_null("loader_configuration", v.loader_configuration);
  io.field("h2d_images_per_s", v.h2d);
  io.field("step_images_per_s", v.step);
  io.field("joint_cpu_images_per_s", v.joint_cpu);
  io.text_or_null("binds", v.binds);
}

template <class Io>
void fields(Io& io, Like<PerBatch> auto& v) {
  io.field("batch_size", v.batch_size);
  io.field("best", v.best);
}

template <class Io>
void fields(Io& io, Like<Gain> auto& v) {
  io.field("over", v.over);
  io.field("mean", v.ratio.mean);
  io.pair("ci95", v.ratio.low, v.ratio.high);
  io.field("n", v.ratio.n);
  io.text_or_null("method", v.method);
  io.field("minimal_detectable_effect", v.detectable);
}

/// The ceilings stand beside it: at the top of result.json, and inside the document of `recommend --format json`.
template <class Io>
void fields(Io& io, Like<Recommendation> auto& v) {
  io.field("recommended", v.recommended);
  io.field("best", v.best);
  io.field("fastest", v.fastest);
  io.field("equivalent", v.equivalent);
  io.field("undecided", v.undecided);
  io.field("per_batch", v.per_batch);
  io.field("pytorch", v.pytorch);
  io.field("knee", v.knee);
  io.field("largest_fit", v.largest_fit);
  io.field("baseline", v.baseline);
  io.field("current", v.current);
  io.field("gains", v.gains);
  io.text_or_null("bound_by", v.bound_by);
  io.text_or_null("headline", v.headline);
  io.field("batch_changed", v.batch_changed);
  io.field("within", v.within);
  io.field("knee_gain", v.knee_gain);
  io.field("decided", v.decided);
  io.field("modelled", v.modelled);
  io.field("blocks", v.blocks);
  io.field("configurations", v.configurations);
  io.field("noise", v.noise);
  io.field("waiting_share", v.waiting_share);
  io.field("exposed_copy_share", v.exposed_copy_share);
  io.field("warnings", v.warnings);
}

}  // namespace feedtune
