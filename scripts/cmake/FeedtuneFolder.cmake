# feedtune_folder(NAME DEPENDS other folders... [LIBRARIES third party...])
#   Declares src/NAME as one static library `feedtune_NAME` and, in the same breath, which other folders its files may
#   include. The rule is written to include_rules.txt, from which the test of the includes is run.
# feedtune_registry(NAME SUBFOLDER TYPE T HEADER h)
#   Generates `std::vector<T> all_SUBFOLDER()`, a table of the `make_<file name>()` factories of src/NAME/SUBFOLDER.
#   (Static constructors in a static library register nothing: the linker drops them.)
# feedtune_tests(NAME [LIBRARIES ...])
#   One GoogleTest program from tests/NAME/*_test.cpp; to be called in tests/ or tests/NAME/. Suites whose name begins
#   with Slow get the label `slow`, the others `fast`.
set(FEEDTUNE_INCLUDE_RULES "${CMAKE_BINARY_DIR}/include_rules.txt")
file(WRITE "${FEEDTUNE_INCLUDE_RULES}" "")

function(feedtune_folder name)
  cmake_parse_arguments(arg "" "" "DEPENDS;LIBRARIES;EXCLUDE" ${ARGN})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp")
  foreach(pattern IN LISTS arg_EXCLUDE)
    list(FILTER sources EXCLUDE REGEX "${pattern}")
  endforeach()
  file(APPEND "${FEEDTUNE_INCLUDE_RULES}" "${name}: ${arg_DEPENDS}\n")
  set(deps ${arg_DEPENDS})
  list(TRANSFORM deps PREPEND feedtune_)
  if(NOT sources)
    # An empty folder is in no clone, so what passes here would fail there.
    message(FATAL_ERROR "feedtune_folder(${name}): src/${name} has no source file")
  endif()
  add_library(feedtune_${name} STATIC ${sources})
  target_include_directories(feedtune_${name} PUBLIC "${CMAKE_CURRENT_SOURCE_DIR}" "${CMAKE_CURRENT_BINARY_DIR}/generated")
  target_link_libraries(feedtune_${name} PUBLIC ${deps} PRIVATE feedtune_options ${arg_LIBRARIES})
  if(FEEDTUNE_PCH)
    if(name STREQUAL core OR "feedtune_dnnl" IN_LIST arg_LIBRARIES)  # OpenMP's flag needs a precompiled header of its own
      target_precompile_headers(feedtune_${name} PRIVATE
        <algorithm> <chrono> <cstdint> <filesystem> <functional> <map> <memory> <optional> <span> <string> <variant> <vector>
        <fmt/format.h>)
    else()
      target_precompile_headers(feedtune_${name} REUSE_FROM feedtune_core)
    endif()
  endif()
endfunction()

function(feedtune_registry name subfolder)
  cmake_parse_arguments(arg "" "TYPE;HEADER" "EXCLUDE" ${ARGN})
  file(GLOB files CONFIGURE_DEPENDS "${CMAKE_CURRENT_SOURCE_DIR}/${name}/${subfolder}/*.cpp")
  foreach(pattern IN LISTS arg_EXCLUDE)
    list(FILTER files EXCLUDE REGEX "${pattern}")
  endforeach()
  set(declarations "")
  set(calls "")
  foreach(file IN LISTS files)
    get_filename_component(stem "${file}" NAME_WE)
    string(APPEND declarations "${arg_TYPE} make_${stem}();\n")
    string(APPEND calls "  all.push_back(make_${stem}());\n")
  endforeach()
  set(output "${CMAKE_CURRENT_BINARY_DIR}/generated/${name}/${subfolder}_table.cpp")
  file(CONFIGURE OUTPUT "${output}" @ONLY CONTENT
"// Generated from the files of src/${name}/${subfolder}.
#include \"${arg_HEADER}\"
namespace feedtune {
${declarations}
std::vector<${arg_TYPE}> all_${subfolder}() {
  std::vector<${arg_TYPE}> all;
${calls}  return all;
}
}  // namespace feedtune
")
  target_sources(feedtune_${name} PRIVATE "${output}")
endfunction()

function(feedtune_tests name)
  cmake_parse_arguments(arg "" "" "LIBRARIES" ${ARGN})
  set(folder "${CMAKE_CURRENT_SOURCE_DIR}/${name}")
  if(NOT EXISTS "${folder}")
    set(folder "${CMAKE_CURRENT_SOURCE_DIR}")  # called from the folder's own CMakeLists.txt
  endif()
  file(GLOB sources CONFIGURE_DEPENDS "${folder}/*_test.cpp" "${folder}/*_fixture.cpp")
  if(NOT sources)
    return()
  endif()
  add_executable(test_${name} ${sources})
  target_include_directories(test_${name} PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
  target_link_libraries(test_${name} PRIVATE feedtune_${name} feedtune_options test_build_paths GTest::gtest GTest::gmock GTest::gtest_main
                        ${arg_LIBRARIES})
  gtest_discover_tests(test_${name} DISCOVERY_MODE PRE_TEST TEST_FILTER "-Slow*" TEST_PREFIX "${name}." PROPERTIES LABELS fast TIMEOUT 240)
  gtest_discover_tests(test_${name} DISCOVERY_MODE PRE_TEST TEST_FILTER "Slow*" TEST_PREFIX "${name}." TEST_LIST test_${name}_SLOW
                       PROPERTIES LABELS slow TIMEOUT 1800)
endfunction()
