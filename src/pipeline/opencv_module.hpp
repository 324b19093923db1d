#pragma once
// OpenCV costs 135 ms and 53 MB at every start of a program that links it, so it lives in a module of its own,
// feedtune-opencv.so, which is loaded when an image first needs it.

#include <cstddef>

extern "C" {

/// Pixels that OpenCV decoded: RGB, 8 bits each, rows without gaps unless row_bytes says otherwise.
struct FeedtuneOpencvImage {
  const unsigned char* pixels;
  std::size_t row_bytes;
  int width;
  int height;
};

/// What the module offers. A state belongs to one thread at a time and keeps its memory from image to image.
struct FeedtuneOpencv {
  const char* version;  ///< OpenCV's
  void* (*create)();    ///< null when memory is out
  void (*destroy)(void* state);
  /// 0 and `image` (valid until the state's next call); else a text in `message`.
  int (*decode)(void* state, const unsigned char* bytes, std::size_t size, FeedtuneOpencvImage* image, char* message,
                std::size_t message_size);
};

/// The module's only visible symbol. Null where the module was not built together with the program.
using FeedtuneOpencvEntry = const FeedtuneOpencv* (*)(const char* build_id);

}  // extern "C"

namespace feedtune {

/// The module, or why there is none.
struct OpencvModule {
  const FeedtuneOpencv* functions = nullptr;
  const char* missing = "";  ///< one line, where `functions` is null
};

/// Loads the module at the first call, from the running program's folder or ../lib/feedtune beside it, and keeps it for
/// good. Safe from many threads.
const OpencvModule& opencv_module();

}  // namespace feedtune
