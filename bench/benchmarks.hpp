#pragma once
// Each function registers its benchmarks with Google Benchmark's runner.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bench_device.hpp"

namespace feedtune {

class ImageList;

/// Images that the benchmarks share: made once in `folder` (make-data, seed 1).
std::shared_ptr<const ImageList> sample_images(const std::string& folder);

/// Every decoder, a random crop: decode/NAME. `workers`: once with so many threads each, by wall time; empty: with one, by CPU time.
void register_decode(const std::shared_ptr<const ImageList>& images, const std::vector<int>& workers = {});
void register_transform();  ///< crop to 224 px by output type and resize
void register_collate();   ///< an image into a batch in pageable and in locked memory

struct MemoryLoad {
  int threads = 1;                             ///< of "all"
  std::size_t one_bytes = std::size_t{32} << 20;  ///< of each array with one thread
  std::size_t all_bytes = std::size_t{32} << 20;  ///< of each thread's each array with all
};
void register_memory(const MemoryLoad& load);  ///< bandwidth of copy and triad, one thread and all: memory/copy
/// Of loads that each wait for the one before, at random in `bytes` of ordinary pages: memory/latency. It has the address
/// translation's misses in it, as a program's own loads do. time_per_load: seconds.
void register_memory_latency(std::size_t bytes);
void register_gemm();      ///< cpu device, shapes of the model presets
void register_queue();     ///< hand-over of batches by each loader, with images that cost nothing
void register_journal(const std::string& folder);  ///< one synced record

// On a device (feedtune-bench --device), by the device's own events; what it cannot do is an error of the one benchmark.
/// To the device, GB/s: copy/pinned/16MiB.
void register_copies(const BenchDevice& on, const std::vector<int>& mebibytes = {1, 16, 256});
/// Each precision's TFLOP/s and share of the peak, of mixer-s16's channel mixing at that batch: channel_gemm/fp16.
void register_channel_gemm(const BenchDevice& on, std::int64_t batch = 128);
void register_step_memory(const BenchDevice& on);   ///< of mixer-s16 at batch 128 and 256: step_memory/mixer-s16/fp16/128

}  // namespace feedtune
