#pragma once
// Each function registers its benchmarks with Google Benchmark's runner.

#include <memory>
#include <string>

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

}  // namespace feedtune
