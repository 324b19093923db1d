#include "trial/step_work.hpp"

#include <algorithm>
#include <cmath>

#include "core/error.hpp"
#include "device/step_curve.hpp"
#include "device/step_times.hpp"
#include "device/timed_work.hpp"
#include "model/model.hpp"

namespace feedtune {
namespace {

class ModelWork final : public StepWork {
 public:
  explicit ModelWork(std::unique_ptr<TrainingStep> step) : step_(std::move(step)) {}
  bool has_parts() const override { return true; }
  void forward(Stream& stream, const Tensor& input) override { step_->forward(stream, input); }
  void backward(Stream& stream, const std::byte* labels) override { step_->backward(stream, labels); }
  void update(Stream& stream) override { step_->update(stream); }

 private:
  std::unique_ptr<TrainingStep> step_;
};

/// The user's own step: one block of device time.
class UserWork final : public StepWork {
 public:
  UserWork(TimedWork& work, Nanoseconds duration) : work_(work), duration_(duration) {}
  bool has_parts() const override { return false; }
  void forward(Stream& stream, const Tensor&) override { work_.occupy(stream, duration_); }
  void backward(Stream&, const std::byte*) override {}
  void update(Stream&) override {}

 private:
  TimedWork& work_;
  Nanoseconds duration_;
};

/// A step that was measured on the device that the profile stands for. Its memory is the model's.
class MeasuredWork final : public StepWork {
 public:
  MeasuredWork(TimedWork& work, std::unique_ptr<TrainingStep> memory, const StepCurve& curve, const TrialSetup& setup)
      : work_(work), memory_(std::move(memory)), parts_(step_parts_of(setup, curve)), host_ms_(curve.host_ms.value) {}
  bool has_parts() const override { return true; }
  void forward(Stream& stream, const Tensor&) override { replay(stream, parts_.forward); }
  void backward(Stream& stream, const std::byte*) override { replay(stream, parts_.backward); }
  void update(Stream& stream) override { replay(stream, parts_.update); }

 private:
  void replay(Stream& stream, Nanoseconds part) {
    const double share = to_ms(part) / std::max(to_ms(parts_.total()), 1e-6);  // of the submissions: each part its share of the step
    work_.replay(stream, part, Nanoseconds{std::llround(host_ms_ * share * 1e6)});
  }
  TimedWork& work_;
  std::unique_ptr<TrainingStep> memory_;
  StepParts parts_;
  double host_ms_;
};

class NoWork final : public StepWork {
 public:
  bool has_parts() const override { return false; }
  void forward(Stream&, const Tensor&) override {}
  void backward(Stream&, const std::byte*) override {}
  void update(Stream&) override {}
};

}  // namespace

std::unique_ptr<StepWork> make_no_work() { return std::make_unique<NoWork>(); }

std::unique_ptr<StepWork> make_step_work(Device& device, const TrialSetup& setup) {
  TimedWork* work = timed_work(device);
  if (setup.step.times.empty()) {
    StepOptions options;
    options.batch_size = setup.loader.batch_size;
    options.image_size = setup.data.image_size;
    options.precision = setup.step.precision;
    options.seed = setup.data.seed;
    auto step = make_mixer(device, model_preset(setup.step.model), options);
    const StepCurve* curve = measured_step(setup);
    if (curve == nullptr || work == nullptr) return std::make_unique<ModelWork>(std::move(step));
    return std::make_unique<MeasuredWork>(*work, std::move(step), *curve, setup);
  }
  if (work == nullptr)
    throw TrialFailure(TrialStatus::unsupported, "step times need a virtual device; " + device.facts().name + " runs its own step");
  return std::make_unique<UserWork>(*work, step_time_at(setup.step.times, setup.loader.batch_size));
}

}  // namespace feedtune
