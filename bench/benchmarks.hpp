#pragma once
// Each function registers its benchmarks with Google Benchmark's runner.

#include <memory>
#include <string>

#include "bench_device.hpp"

namespace feedtune {

class ImageList;

/// Images that the benchmarks share: made once in `folder` (make-data, seed 1).
std::shared_ptr<const ImageList> sample_images(const std::string& folder);

void register_decode(const std::shared_ptr<const ImageList>& images);     ///< every decoder, a random crop: decode/NAME
void register_transform();  ///< crop to 224 px by output type and resize
void register_collate();   ///< an image into a batch in pageable and in locked memory
void register_memory();    ///< bandwidth of copy and triad, one thread and all
void register_gemm();      ///< cpu device, shapes of the model presets
void register_queue();     ///< hand-over of batches by each loader, with images that cost nothing
void register_journal(const std::string& folder);  ///< one synced record

// On a device (feedtune-bench --device), by the device's own events; what it cannot do is an error of the one benchmark.
void register_copies(const BenchDevice& on);        ///< to the device, GB/s: copy/pinned/16MiB
void register_channel_gemm(const BenchDevice& on);  ///< each precision's TFLOP/s and share of the peak: channel_gemm/fp16
void register_step_memory(const BenchDevice& on);   ///< of mixer-s16 at batch 128 and 256: step_memory/mixer-s16/fp16/128

}  // namespace feedtune
