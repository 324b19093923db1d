#pragma once
// Everything one trial needs, resolved: axes have been applied, nothing is looked up later. This is what travels to
// the child process. Each axis sets its field here (space/axes/<name>.cpp).

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/device_profile.hpp"
#include "core/enums.hpp"

namespace feedtune {

struct DataSetup {
  std::string path;          ///< folder of classes, flat folder, or a text file that lists images
  std::uint64_t seed = 1;    ///< of the shuffle, the crops and the flips
  int image_size = 224;      ///< side of the square output, pixels
  std::string fingerprint = {};  ///< ImageList::fingerprint() when the sweep began; a trial of other data is invalid. Empty: any
};

struct LoaderSetup {
  LoaderKind kind = LoaderKind::batch_per_worker;
  int batch_size = 64;                      ///< images
  int num_workers = 0;                      ///< 0: load inside the training thread
  int prefetch = 2;                         ///< batches ahead per worker (batch_per_worker)
  int ready_batches = 4;                    ///< finished or filling batches in total (pooled)
  std::string decoder = "turbo";
  int worker_threads = 1;                   ///< threads that split one worker's rows
  InputType input_type = InputType::uint8;
  Resize resize = Resize::antialias;
  Storage storage = Storage::files;
  Affinity affinity = Affinity::none;
  HostMemory host_memory = HostMemory::pageable;
  Pinning pinning = Pinning::alloc;         ///< of pinned batch buffers
};

/// "85ms@64": a user's own step, measured elsewhere.
struct StepTime {
  double step_ms = 0;
  int batch_size = 0;
};

struct StepSetup {
  Transfer transfer = Transfer::blocking;
  Sync sync = Sync::none;
  Precision precision = Precision::fp32;
  int model_threads = 1;              ///< cpu device only: threads of the step
  std::string model = "mixer-nano";   ///< a preset; ignored when `times` is not empty
  std::vector<StepTime> times;        ///< sorted by batch_size
};

struct TrialSetup {
  DataSetup data;
  LoaderSetup loader;
  StepSetup step;
  std::string device = "cpu";            ///< cpu, virtual:NAME, null
  std::optional<DeviceProfile> profile;  ///< present for virtual devices
};

}  // namespace feedtune
