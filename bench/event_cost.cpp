// What the events that time a training step cost: the trial's own loop, which records six a step and reads their times, against the
// same step with the two alone that the order of work needs (the copy has ended, the step has ended), and that one against itself as a
// control: what the machine's noise alone looks like. Rounds of the three on one device and one model, their order turning
// (results/event-cost.md).
//   event-cost DEVICE MODEL ROUNDS BATCH...      DEVICE: cuda, cpu; from pinned memory with overlapped copies where it copies

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/enums.hpp"
#include "core/usual_precision.hpp"
#include "device/make_device.hpp"
#include "measure/statistics.hpp"
#include "trial/resident_loader.hpp"
#include "trial/step_work.hpp"
#include "trial/training_loop.hpp"

namespace feedtune {
namespace {

constexpr Nanoseconds side_time{250'000'000};  ///< of one side of a round, at least
constexpr int least_steps = 10;

/// The step of TrainingLoop (sync none, transfer overlapped, uint8) without its times.
class BareLoop {
 public:
  BareLoop(Device& device, Loader& loader, StepWork& work)
      : loader_(loader), work_(work), copies_(device.facts().copies), compute_(device.create_stream()), copy_(device.create_stream()) {
    const Batch batch = loader.next();
    for (Flight& flight : flights_) {
      flight.copied = device.create_event();
      flight.end = device.create_event();
      if (!copies_) continue;
      flight.images = device.memory().allocate(batch.pixels.size());
      flight.labels = device.memory().allocate(batch.labels.size_bytes());
      flight.label_staging = device.memory().host(HostMemory::pinned)->allocate(batch.labels.size_bytes());
    }
  }

  void run_step() {
    Flight& flight = flights_[steps_++ % 2];
    if (flight.active) flight.end->synchronize();
    flight.active = true;
    const Batch batch = loader_.next();
    auto* images = const_cast<std::byte*>(batch.pixels.data());
    const auto* labels = reinterpret_cast<const std::byte*>(batch.labels.data());
    if (copies_) {
      std::memcpy(flight.label_staging.data(), labels, batch.labels.size_bytes());
      copy_->copy_to_device(flight.labels.address(), flight.label_staging.bytes(), HostMemory::pinned);
      copy_->copy_to_device(flight.images.address(), batch.pixels, batch.memory);
      copy_->record(*flight.copied);
      compute_->wait(*flight.copied);
      images = flight.images.address();
      labels = flight.labels.address();
    }
    work_.forward(*compute_, {images, batch.pixels.size(), Element::u8});
    work_.backward(*compute_, labels);
    work_.update(*compute_);
    compute_->record(*flight.end);
  }

  void drain() {
    for (Flight& flight : flights_)
      if (std::exchange(flight.active, false)) flight.end->synchronize();
  }

 private:
  struct Flight {
    std::unique_ptr<Event> copied, end;
    DeviceBuffer images, labels;
    HostBuffer label_staging;
    bool active = false;
  };

  Loader& loader_;
  StepWork& work_;
  bool copies_;
  std::unique_ptr<Stream> compute_, copy_;
  Flight flights_[2];
  std::size_t steps_ = 0;
};

template <class Loop>
double seconds_of(Loop& loop, int steps) {
  const SteadyClock clock;
  const Nanoseconds begin = clock.now();
  for (int step = 0; step < steps; ++step) loop.run_step();
  loop.drain();
  return to_s(clock.now() - begin);
}

TrialSetup setup_of(const std::string& device, const std::string& model, int batch_size) {
  TrialSetup setup;
  setup.device = device;
  setup.loader.kind = LoaderKind::pooled;
  setup.loader.num_workers = 1;
  setup.loader.batch_size = batch_size;
  setup.loader.input_type = InputType::uint8;
  setup.loader.host_memory = HostMemory::pinned;
  setup.step.transfer = Transfer::overlapped;
  setup.step.model = model;
  return setup;
}

std::string ratio_text(const std::vector<double>& logs) {
  const Interval ratio = interval_of_mean(logs);
  return fmt::format("{:.4f} [{:.4f}, {:.4f}]", std::exp(ratio.mean), std::exp(ratio.low), std::exp(ratio.high));
}

void compare(Device& device, TrialSetup setup, int rounds) {
  setup.step.precision = usual_precision(device.facts());
  const auto work = make_step_work(device, setup);
  const auto loader = make_resident_loader(setup, *device.memory().host(HostMemory::pinned));
  SteadyClock clock;
  TrainingLoop timed(device, *loader, *work, clock, setup);
  BareLoop bare(device, *loader, *work), control(device, *loader, *work);
  seconds_of(timed, least_steps);
  seconds_of(control, least_steps);
  const double warm_step_s = seconds_of(bare, least_steps) / least_steps;
  const int steps = std::max(least_steps, static_cast<int>(std::ceil(to_s(side_time) / warm_step_s)));
  std::vector<double> on_logs, control_logs, differences_us, off_ms;
  for (int round = 0; round < rounds; ++round) {
    double seconds[3] = {};  // timed, bare, control
    for (int turn = 0; turn < 3; ++turn) {
      const int side = (round + turn) % 3;
      seconds[side] = side == 0 ? seconds_of(timed, steps) : seconds_of(side == 1 ? bare : control, steps);
    }
    on_logs.push_back(std::log(seconds[0] / seconds[1]));
    control_logs.push_back(std::log(seconds[2] / seconds[1]));
    differences_us.push_back((seconds[0] - seconds[1]) * 1e6 / steps);
    off_ms.push_back(seconds[1] * 1e3 / steps);
  }
  const Interval difference = interval_of_mean(differences_us);
  std::cout << fmt::format("| {} | {} | {} | {} | {:.3f} | {} | {} | {:.1f} [{:.1f}, {:.1f}] |\n", device.facts().title, setup.step.model,
                           to_text(setup.step.precision), setup.loader.batch_size, median(off_ms), ratio_text(on_logs),
                           ratio_text(control_logs), difference.mean, difference.low, difference.high)
            << std::flush;
}

int number(const char* text, const char* what, int least) {
  char* end = nullptr;
  const long value = std::strtol(text, &end, 10);
  if (*text == '\0' || *end != '\0' || value < least || value > 100'000)
    throw std::invalid_argument(fmt::format("{}: got '{}', want an integer from {} to 100000", what, text, least));
  return static_cast<int>(value);
}

}  // namespace
}  // namespace feedtune

int main(int argc, char** argv) {
  using namespace feedtune;
  if (argc < 5) {
    std::cerr << "usage: event-cost DEVICE MODEL ROUNDS BATCH...\n";
    return 2;
  }
  try {
    const int rounds = number(argv[3], "ROUNDS", 2);
    std::vector<int> batches;
    for (int i = 4; i < argc; ++i) batches.push_back(number(argv[i], "BATCH", 1));
    const auto device = make_device(setup_of(argv[1], argv[2], batches.front()), std::make_shared<SteadyClock>());
    std::cout << fmt::format("{} rounds each; brackets: 95 % intervals of the mean\n\n"
                             "| device | model | precision | batch_size | step without, ms | with / without | control | difference, us a step |\n"
                             "|---|---|---|---|---|---|---|---|\n", rounds);
    for (const int batch : batches) compare(*device, setup_of(argv[1], argv[2], batch), rounds);
  } catch (const std::exception& error) {
    std::cerr << "event-cost: " << error.what() << '\n';
    return 1;
  }
}
