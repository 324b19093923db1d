#pragma once
// The training thread: takes batches, copies them to the device, queues the step, and waits only where the set-up
// says so. Knows nothing of warm-up or of when to stop; each finished step is handed to its caller.

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "core/trial_setup.hpp"
#include "device/device.hpp"
#include "measure/clock.hpp"
#include "pipeline/loader.hpp"
#include "trial/step_log.hpp"
#include "trial/step_work.hpp"

namespace feedtune {

class TrainingLoop {
 public:
  /// Allocates the device's input and label buffers (two where the transfer is overlapped, else one). With
  /// `resident_input` the first batch is copied and then stays: nothing is copied any more.
  TrainingLoop(Device& device, Loader& loader, StepWork& work, Clock& clock, const TrialSetup& setup, bool resident_input = false);
  /// Waits for the device and gives back the batches in flight.
  ~TrainingLoop();
  TrainingLoop(const TrainingLoop&) = delete;
  TrainingLoop& operator=(const TrainingLoop&) = delete;

  /// Queues the next step. Returns the times of the step that left the ring (two steps ago with sync=none, this one
  /// with sync=each); none while the ring fills.
  std::optional<StepTimes> run_step();
  /// Waits for the steps in flight; their times, oldest first, are lost to the caller by intent: a window ends at a
  /// step that run_step() returned.
  void drain();
  /// When the first batch was in the training thread's hands; zero before.
  Nanoseconds first_batch_at() const { return first_batch_at_; }

 private:
  struct Flight {
    explicit Flight(Device& device) : events(device) {}
    StepEvents events;
    StepTimes times;
    Batch batch;
    bool active = false;
    bool copied = false;
    bool holds_batch = false;
  };

  /// Where a batch lies on the device.
  struct Input {
    DeviceBuffer images;
    DeviceBuffer labels;
    HostBuffer label_staging;  ///< of the batch's kind of memory: pageable must need nothing pinned
  };

  void queue_step(Flight& flight, const Tensor& input, const std::byte* labels);
  StepTimes finish(Flight& flight);
  void release_copied();
  void copy(Flight& flight, Input& input);

  Device& device_;
  Loader& loader_;
  StepWork& work_;
  Clock& clock_;
  TrialSetup setup_;
  bool copies_;
  bool resident_input_;
  std::unique_ptr<Stream> compute_;
  std::unique_ptr<Stream> copy_stream_;
  std::vector<Input> inputs_;
  std::vector<std::unique_ptr<Flight>> flights_;
  std::int64_t steps_ = 0;
  Nanoseconds first_batch_at_{0};
};

/// How many blocks of images and of labels TrainingLoop allocates on a device that copies.
int input_buffers(Transfer transfer);

}  // namespace feedtune
