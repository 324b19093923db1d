#pragma once
#include <memory>

#include "pipeline/decoder.hpp"
#include "pipeline/file_log.hpp"
#include "pipeline/image_list.hpp"
#include "pipeline/image_source.hpp"
#include "pipeline/preparer.hpp"
#include "pipeline/transform.hpp"
#include "pipeline/worker_activity.hpp"

namespace feedtune {

/// What one worker's preparer is made of. The list, the log and the activity outlive it.
struct PreparerParts {
  const ImageList* list = nullptr;
  FileLog* log = nullptr;
  WorkerActivity* activity = nullptr;
  std::unique_ptr<ImageSource> source;
  std::unique_ptr<Decoder> decoder;
  TransformOptions transform;
};

/// Source -> decoder -> transform. Output depends on the sample, the options and the file's bytes alone. `open` and
/// `read` are the source's figures, `decode` includes the header, `decode_cpu` is the thread's own CPU time for it.
std::unique_ptr<ImagePreparer> make_image_preparer(PreparerParts parts);

}  // namespace feedtune
