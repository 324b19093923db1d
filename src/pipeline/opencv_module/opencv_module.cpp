#include "pipeline/opencv_module.hpp"

#include <cstdio>
#include <cstring>
#include <new>
#include <opencv2/core.hpp>
#include <opencv2/core/utils/logger.hpp>
#include <opencv2/imgcodecs.hpp>
#include <opencv2/imgproc.hpp>

namespace {

struct State {
  cv::Mat bgr;
  cv::Mat rgb;
};

void* create() { return new (std::nothrow) State; }

void destroy(void* state) { delete static_cast<State*>(state); }

int decode(void* opaque, const unsigned char* bytes, std::size_t size, FeedtuneOpencvImage* image, char* message,
           std::size_t message_size) {
  State& state = *static_cast<State*>(opaque);
  try {
    const cv::Mat encoded(1, static_cast<int>(size), CV_8UC1, const_cast<unsigned char*>(bytes));
    // Where no decoder takes the bytes, imdecode() leaves the target as it is: it would be the image before.
    state.bgr.release();
    cv::imdecode(encoded, cv::IMREAD_COLOR | cv::IMREAD_IGNORE_ORIENTATION, &state.bgr);
    if (state.bgr.empty()) {
      std::snprintf(message, message_size, "OpenCV cannot decode it");
      return 1;
    }
    cv::cvtColor(state.bgr, state.rgb, cv::COLOR_BGR2RGB);
  } catch (const cv::Exception& error) {
    std::snprintf(message, message_size, "OpenCV: %s", error.err.c_str());
    return 1;
  } catch (const std::exception& error) {
    std::snprintf(message, message_size, "OpenCV: %s", error.what());
    return 1;
  }
  *image = {state.rgb.data, state.rgb.step[0], state.rgb.cols, state.rgb.rows};
  return 0;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const FeedtuneOpencv* feedtune_opencv_entry(const char* build_id) {
  static const FeedtuneOpencv functions{CV_VERSION, create, destroy, decode};
  if (std::strcmp(build_id, FEEDTUNE_BUILD_ID) != 0) return nullptr;
  cv::setNumThreads(1);  // workers are feedtune's business
  cv::utils::logging::setLogLevel(cv::utils::logging::LOG_LEVEL_SILENT);
  return &functions;
}
