#pragma once

namespace feedtune::build_info {

/// Written by the build (scripts/cmake/BuildInfo.cmake) into generated/cli/build_info.cpp.
extern const char* const version;
extern const char* const commit;
extern const char* const compiler;
extern const char* const build_type;

}  // namespace feedtune::build_info
