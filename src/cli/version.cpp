#include "cli/version.hpp"

#include <cstddef>
#include <cstdio>

#include <fmt/format.h>
#include <jpeglib.h>

#include "cli/build_info.hpp"
#include "device/cpu/cpu_device.hpp"
#include "pipeline/baseline_scan.hpp"
#include "pipeline/resample_kernels.hpp"

#define FEEDTUNE_TEXT_OF(x) #x
#define FEEDTUNE_TEXT(x) FEEDTUNE_TEXT_OF(x)

namespace feedtune {

std::string version_text() { return fmt::format("feedtune {} (commit {})", build_info::version, build_info::commit); }

ToolFacts tool_facts() {
  ToolFacts facts;
  facts.version = build_info::version;
  facts.commit = build_info::commit;
  facts.compiler = build_info::compiler;
  facts.build_type = build_info::build_type;
  facts.libraries["libjpeg-turbo"] = FEEDTUNE_TEXT(LIBJPEG_TURBO_VERSION);
  facts.libraries["huffman (turbo)"] = BaselineScan::available() ? "feedtune" : "libjpeg-turbo";
  // libjpeg-turbo and OpenCV choose their vector code by the processor, and do not say which; the machine's cpu_simd does.
  facts.libraries["Highway"] = kernel_library();
  if (const std::string onednn = cpu_math_library(); !onednn.empty()) facts.libraries["oneDNN"] = onednn;
#ifdef FEEDTUNE_OPENCV_VERSION
  facts.libraries["OpenCV"] = FEEDTUNE_OPENCV_VERSION;
#endif
  return facts;
}

}  // namespace feedtune
