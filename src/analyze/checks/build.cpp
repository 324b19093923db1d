#include <fmt/format.h>

#include "analyze/check.hpp"

namespace feedtune {
namespace {

CheckVerdict judge(const CheckInput& in) {
  const auto simd = in.text("cpu_simd");
  const std::string evidence = fmt::format("feedtune {} built as {}; the processor has {}", in.tool.version, in.tool.build_type.empty() ? "an unnamed type" : in.tool.build_type,
                                           simd.value_or("unknown vector instructions"));
  if (in.tool.build_type == "Debug" || in.tool.build_type.empty())
    return {CheckStatus::bad, evidence, "this program is not optimised and measures itself, not the machine: build it with the preset default or release"};
  if (in.environment.contains("JSIMD_FORCENONE"))
    return {CheckStatus::bad, evidence + "; JSIMD_FORCENONE is set", "unset JSIMD_FORCENONE: libjpeg-turbo decodes without vector instructions, several times slower"};
  if (!simd) return {CheckStatus::unknown, in.why_unknown("cpu_simd")};
  if (*simd == "none" || *simd == "sse2") return {CheckStatus::warn, evidence, "decoding and resizing are slow without wider vector instructions; does the virtual machine hide them?"};
  return {CheckStatus::ok, evidence};
}

}  // namespace

Check make_build() { return {"build", judge}; }

}  // namespace feedtune
