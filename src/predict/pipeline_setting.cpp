#include "predict/pipeline_setting.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "core/enums.hpp"

namespace feedtune {
namespace {

constexpr std::pair<PipelinePart, const char*> part_axes[] = {
    {PipelinePart::load, "loader"},     {PipelinePart::load, "decoder"},        {PipelinePart::load, "input_type"},
    {PipelinePart::load, "resize"},     {PipelinePart::load, "storage"},        {PipelinePart::load, "affinity"},
    {PipelinePart::load, "worker_threads"}, {PipelinePart::step, "precision"},  {PipelinePart::step, "sync"},
    {PipelinePart::step, "model_threads"},  {PipelinePart::copy, "host_memory"}, {PipelinePart::copy, "pinning"}};

template <class E>
E named(const Configuration& c, const char* axis, E otherwise) {
  return enum_from_text<E>(c.text(axis).value_or("")).value_or(otherwise);
}

}  // namespace

EffectTable::EffectTable(std::span<const Configuration> space) {
  for (const auto& [part, axis] : part_axes) {
    std::set<std::string> texts;
    std::set<std::int64_t> numbers;
    for (const Configuration& configuration : space) {
      if (const auto text = configuration.text(axis)) texts.insert(*text);
      if (const auto number = configuration.integer(axis)) numbers.insert(*number);
    }
    if (texts.size() > 1) {
      axes_.push_back({part, axis, {std::next(texts.begin()), texts.end()}, size_});
      size_ += texts.size() - 1;
    } else if (texts.empty() && numbers.size() > 1) {
      axes_.push_back({part, axis, {}, size_});
      size_ += 1;
    }
  }
}

std::optional<PipelineSetting> EffectTable::read(const Configuration& c, int image_size) const {
  const auto batch = c.integer("batch_size"), workers = c.integer("num_workers");
  if (!batch || *batch < 1 || !workers || *workers < 0) return std::nullopt;
  PipelineSetting s;
  s.batch_size = *batch;
  s.workers = *workers;
  s.pooled = named(c, "loader", LoaderKind::batch_per_worker) == LoaderKind::pooled;
  s.batches_ahead = s.pooled ? c.integer("ready_batches").value_or(4) : *workers * c.integer("prefetch").value_or(2);
  s.batches_ahead = std::max<std::int64_t>(1, s.batches_ahead);
  s.pinned = named(c, "host_memory", HostMemory::pageable) == HostMemory::pinned;
  const auto transfer = c.text("transfer");
  s.overlapped = s.pinned && (!transfer || *transfer == to_text(Transfer::overlapped));
  s.each_step_waited_for = c.text("sync") == to_text(Sync::each);
  s.model_threads = static_cast<double>(c.integer("model_threads").value_or(0));
  s.image_bytes = 3.0 * image_size * image_size * static_cast<double>(bytes_per_value(named(c, "input_type", InputType::uint8)));
  for (const auto& [part, axis] : part_axes)
    if (const auto value = c.values().find(axis); value != c.values().end())
      s.group[static_cast<int>(part)] += std::string(axis) + '=' + to_text(value->second) + ',';
  s.group[static_cast<int>(PipelinePart::copy)] += std::to_string(s.image_bytes);
  for (const AxisEffect& effect : axes_) {
    auto& effects = s.effects[static_cast<int>(effect.part)];
    if (const auto number = c.integer(effect.axis); number && effect.values.empty() && *number > 0) {
      effects.push_back({effect.first, std::log2(static_cast<double>(*number))});
    } else if (const auto text = c.text(effect.axis)) {
      const auto found = std::find(effect.values.begin(), effect.values.end(), *text);
      if (found != effect.values.end()) effects.push_back({effect.first + static_cast<std::size_t>(found - effect.values.begin()), 1});
    }
  }
  return s;
}

}  // namespace feedtune
