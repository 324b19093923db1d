# Run at build time: writes OUTPUT with the version, commit, compiler and build type; touches it only when they change.
cmake_minimum_required(VERSION 3.22)
find_program(GIT git)
set(commit "unknown")
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE_DIR} rev-parse --short=12 HEAD OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE
                  ERROR_QUIET RESULT_VARIABLE failed)
  if(failed)
    set(commit "unknown")
  else()
    execute_process(COMMAND ${GIT} -C ${SOURCE_DIR} diff --quiet HEAD RESULT_VARIABLE dirty ERROR_QUIET)
    if(dirty)
      string(APPEND commit "-dirty")
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT
"#include \"cli/build_info.hpp\"
namespace feedtune::build_info {
const char* const version = \"${VERSION}\";
const char* const commit = \"${commit}\";
const char* const compiler = \"${COMPILER}\";
const char* const build_type = \"${BUILD_TYPE}\";
}  // namespace feedtune::build_info
")
