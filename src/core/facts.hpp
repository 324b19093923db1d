#pragma once
// Facts about the machine, the data, the device and the model that stand in every result.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/configuration.hpp"

namespace feedtune {

/// One fact with its source; without a value, the reason why.
struct Fact {
  std::optional<AxisValue> value;
  std::string source;
  std::string reason;
};

/// Who limits the CPUs that this process may use, and to what.
struct CpuLimit {
  double effective = 1;     ///< min(cgroup quota, affinity, online); fractional under a quota
  std::string limited_by;   ///< "online", "affinity", "cgroup v1 /a/b", "cgroup v2 /a/b"
  int online = 1;
  int affinity = 1;
  std::optional<double> quota;
};

struct MachineFacts {
  CpuLimit cpus;
  std::map<std::string, Fact> facts;  ///< "cpu_model", "memory_bytes", "kernel", ...
};

struct DataFacts {
  std::string layout;  ///< classes, flat, list
  std::int64_t images = 0;
  std::int64_t bytes = 0;
  std::string digest;  ///< of relative names, sizes and sampled contents; equal data on two machines gives equal digests
  std::int64_t skipped = 0;  ///< entries that are not regular files or could not be read when listing
  std::vector<std::string> notes;
};

struct DeviceFacts {
  std::string name;      ///< as given to --device
  std::string title;
  bool modelled = false;
  bool copies = false;   ///< input has to be copied to device memory
  bool fake = false;
  std::optional<std::int64_t> memory_bytes;
  std::vector<std::string> precisions;
  std::optional<std::string> pci_address = {};  ///< of a real GPU: "0000:65:00.0", lower case
  std::optional<std::string> uuid_hash = {};    ///< FNV-1a, 64 bits, of a real GPU's UUID
  std::map<std::string, Fact> facts{};  ///< "driver", "sm_mhz_max", ...: of a GPU, what its driver says and what stands still
};

/// Whether a device can be used, as a process of its own found out.
struct DeviceProbe {
  std::string unusable;  ///< why not, one line; empty: it can
  bool nothing_visible = false;  ///< the driver works but shows no device: there is none, or the environment hides it
  DeviceFacts facts;     ///< where it can
};

struct ModelFacts {
  std::string name;  ///< preset, or "user" with step times
  std::int64_t parameters = 0;
  double forward_flops_per_image = 0;
  double step_flops_per_image = 0;
  std::int64_t activation_bytes_per_image = 0;  ///< at the precision swept first
};

struct ToolFacts {
  std::string version;
  std::string commit;
  std::string compiler;
  std::string build_type;
  std::map<std::string, std::string> libraries;
};

}  // namespace feedtune
