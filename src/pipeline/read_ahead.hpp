#pragma once
#include <cstddef>

#include "pipeline/image_list.hpp"

namespace feedtune {

/// Has the kernel read files before their turn, as long as they come from the disk: a worker that decodes then doesn't wait for
/// it (results/packed.md: 68 instead of 158 us an image on a local disk). One call in eight looks whether its file is there already;
/// where it isn't, the next 64 calls ask for theirs without a look. Costs an open an image then, else an eighth of that. Owned by one worker; the list outlives it.
class ReadAhead {
 public:
  explicit ReadAhead(const ImageList& list) : list_(list) {}
  /// Somebody will read this image soon. Errors are left to whoever does.
  void expect(std::size_t image);

 private:
  const ImageList& list_;
  unsigned calls_ = 0;
  int sure_ = 0;  ///< calls whose files are asked for without a look
};

}  // namespace feedtune
