// NVML's functions that the program calls: counters of a GPU under load, some of which this GPU doesn't have.
#include <chrono>
#include <cmath>
#include <cstring>

#include "settings.hpp"

namespace {

struct Utilization {
  unsigned gpu, memory;
};
struct Memory {
  unsigned long long total, available, used;
};
constexpr int success = 0, invalid_argument = 2, not_supported = 3, not_found = 6;
int gpu = 0;

template <class T>
int answer(const void* device, T* to, T value) {
  if (device != &gpu || to == nullptr) return invalid_argument;
  *to = value;
  return success;
}

unsigned utilization() {
  const double period = fake_cuda::settings().nvml_period;
  if (period <= 0) return 70;
  const double now = std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
  return std::fmod(now, period) < period / 2 ? 95 : 5;
}

}  // namespace

extern "C" {

int nvmlInit_v2() { return success; }
const char* nvmlErrorString(int result) {
  return result == not_supported ? "Not Supported" : result == not_found ? "Not Found" : "Unknown Error";
}
int nvmlDeviceGetHandleByPciBusId_v2(const char* address, void** device) {
  *device = &gpu;
  return std::strcmp(address, "0000:65:00.0") == 0 ? success : not_found;
}
int nvmlDeviceGetUtilizationRates(void* device, Utilization* use) { return answer(device, use, {utilization(), 20}); }
int nvmlDeviceGetClockInfo(void* device, int type, unsigned* mhz) { return answer(device, mhz, type == 1 ? 1410U : type == 2 ? 9501U : 0U); }
int nvmlDeviceGetTemperature(void* device, int, unsigned* degrees) { return answer(device, degrees, 61U); }
int nvmlDeviceGetPowerUsage(void*, unsigned*) { return not_supported; }
int nvmlDeviceGetMemoryInfo(void* device, Memory* memory) { return answer(device, memory, {8'000'000'000, 7'000'000'000, 1'000'000'000}); }
int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* bits) { return answer(device, bits, 0x24ULL); }
int nvmlDeviceGetCurrPcieLinkGeneration(void* device, unsigned* value) { return answer(device, value, 3U); }
int nvmlDeviceGetMaxPcieLinkGeneration(void* device, unsigned* value) { return answer(device, value, 4U); }
int nvmlDeviceGetCurrPcieLinkWidth(void* device, unsigned* value) { return answer(device, value, 8U); }
int nvmlDeviceGetMaxPcieLinkWidth(void* device, unsigned* value) { return answer(device, value, 16U); }
int nvmlSystemGetDriverVersion(char* text, unsigned length) {
  if (length < sizeof "550.54.15") return invalid_argument;
  std::strcpy(text, "550.54.15");
  return success;
}
int nvmlDeviceGetMaxClockInfo(void* device, int type, unsigned* mhz) { return answer(device, mhz, type == 1 ? 1980U : 9501U); }
int nvmlDeviceGetEnforcedPowerLimit(void* device, unsigned* milliwatts) { return answer(device, milliwatts, 349'600U); }
int nvmlDeviceGetEccMode(void* device, int* now, int* pending) {
  *pending = 0;
  return answer(device, now, 1);
}
int nvmlDeviceGetPersistenceMode(void*, int*) { return not_supported; }
int nvmlDeviceGetMigMode(void*, unsigned*, unsigned*) { return not_supported; }

}  // extern "C"
