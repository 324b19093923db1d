#include "trial/training_loop.hpp"

#include <cstring>

#include "measure/profiler_range.hpp"

namespace feedtune {
namespace {

Element element_of(InputType type) {
  switch (type) {
    case InputType::uint8: return Element::u8;
    case InputType::float16: return Element::f16;
    case InputType::float32: break;
  }
  return Element::f32;
}

std::size_t image_values(const TrialSetup& setup) {
  return std::size_t{3} * static_cast<std::size_t>(setup.data.image_size) * static_cast<std::size_t>(setup.data.image_size);
}

}  // namespace

int input_buffers(Transfer transfer) { return transfer == Transfer::overlapped ? 2 : 1; }

TrainingLoop::TrainingLoop(Device& device, Loader& loader, StepWork& work, Clock& clock, const TrialSetup& setup,
                           bool resident_input)
    : device_(device),
      loader_(loader),
      work_(work),
      clock_(clock),
      setup_(setup),
      copies_(device.facts().copies),
      resident_input_(resident_input),
      compute_(device.create_stream()) {
  const auto batch = static_cast<std::size_t>(setup.loader.batch_size);
  if (copies_) {
    if (setup.step.transfer == Transfer::overlapped) copy_stream_ = device.create_stream();
    const std::size_t label_bytes = batch * sizeof(std::int32_t);
    for (int i = 0; i < input_buffers(setup.step.transfer); ++i)
      inputs_.push_back({device.memory().allocate(batch * image_values(setup) * bytes_per_value(setup.loader.input_type)),
                         device.memory().allocate(label_bytes), device.memory().host(setup.loader.host_memory)->allocate(label_bytes)});
  }
  // Two steps in flight: sync=none waits for step i-2 only.
  for (int i = 0; i < 2; ++i) flights_.push_back(std::make_unique<Flight>(device));
}

TrainingLoop::~TrainingLoop() {
  try {
    drain();
  } catch (...) {
    // A device that failed has nothing left to wait for; the trial already carries the reason.
  }
}

std::optional<StepTimes> TrainingLoop::run_step() {
  const auto index = static_cast<std::size_t>(steps_ % static_cast<std::int64_t>(flights_.size()));
  Flight& flight = *flights_[index];
  std::optional<StepTimes> finished;
  if (flight.active) finished = finish(flight);
  release_copied();

  flight.times = {};
  const Nanoseconds asked = clock_.now();
  {
    const ProfilerRange range("data_wait");
    flight.batch = loader_.next();
  }
  const Nanoseconds got = clock_.now();
  if (steps_ == 0) first_batch_at_ = got;
  flight.holds_batch = true;
  flight.active = true;
  flight.times.pin = flight.batch.pin;
  flight.times.data_wait = got - asked - (setup_.loader.num_workers == 0 ? flight.batch.pin : Nanoseconds{0});
  flight.times.images = flight.batch.images;
  flight.times.crosses_epoch = flight.batch.crosses_epoch;

  Tensor input{nullptr, flight.batch.pixels.size() / bytes_per_value(setup_.loader.input_type), element_of(setup_.loader.input_type)};
  const std::byte* labels = nullptr;
  if (copies_) {
    Input& target = inputs_[index % inputs_.size()];
    flight.copied = !resident_input_ || steps_ < static_cast<std::int64_t>(flights_.size());
    if (flight.copied) copy(flight, target);
    input.address = target.images.address();
    labels = target.labels.address();
  } else {
    // The device reads host memory: the batch stays ours until the step is done.
    input.address = const_cast<std::byte*>(flight.batch.pixels.data());
    labels = reinterpret_cast<const std::byte*>(flight.batch.labels.data());
  }

  queue_step(flight, input, labels);
  ++steps_;
  if (setup_.step.sync == Sync::each) finished = finish(flight);
  return finished;
}

void TrainingLoop::queue_step(Flight& flight, const Tensor& input, const std::byte* labels) {
  ProfilerRange range("forward");
  compute_->record(*flight.events.begin);
  work_.forward(*compute_, input);
  compute_->record(*flight.events.forward_end);
  range.next("backward");
  work_.backward(*compute_, labels);
  compute_->record(*flight.events.backward_end);
  range.next("update");
  work_.update(*compute_);
  compute_->record(*flight.events.end);
}

void TrainingLoop::copy(Flight& flight, Input& input) {
  const ProfilerRange range("h2d");
  std::memcpy(input.label_staging.data(), flight.batch.labels.data(), flight.batch.labels.size_bytes());
  Stream& stream = copy_stream_ ? *copy_stream_ : *compute_;
  const Nanoseconds before = clock_.now();
  stream.record(*flight.events.copy_begin);
  stream.copy_to_device(input.labels.address(), input.label_staging.bytes().first(flight.batch.labels.size_bytes()), setup_.loader.host_memory);
  stream.copy_to_device(input.images.address(), flight.batch.pixels, flight.batch.memory);
  stream.record(*flight.events.copy_end);
  if (copy_stream_) {
    compute_->wait(*flight.events.copy_end);
  } else {
    // tensor.to(device) without non_blocking: the host waits for the copy, and so for all work queued before it.
    flight.times.host_late += flight.events.copy_end->synchronize();
  }
  flight.times.h2d_host = clock_.now() - before;
}

StepTimes TrainingLoop::finish(Flight& flight) {
  flight.times.host_late += flight.events.end->synchronize();
  StepTimes times = flight.times;
  times.begin = flight.events.begin->time();
  times.copy_begin = flight.copied ? flight.events.copy_begin->time() : times.begin;
  times.copy_end = flight.copied ? flight.events.copy_end->time() : times.begin;
  times.forward_end = flight.events.forward_end->time();
  times.backward_end = flight.events.backward_end->time();
  times.end = flight.events.end->time();
  if (flight.holds_batch) loader_.release(flight.batch);
  flight.holds_batch = false;
  flight.active = false;
  return times;
}

void TrainingLoop::release_copied() {
  if (!copies_) return;
  for (auto& flight : flights_) {
    if (flight->holds_batch && (!flight->copied || flight->events.copy_end->done())) {
      loader_.release(flight->batch);
      flight->holds_batch = false;
    }
  }
}

void TrainingLoop::drain() {
  // Oldest first; with two flights the next slot to be used holds the older step.
  for (std::size_t i = 0; i < flights_.size(); ++i) {
    Flight& flight = *flights_[(static_cast<std::size_t>(steps_) + i) % flights_.size()];
    if (flight.active) finish(flight);
  }
}

}  // namespace feedtune
