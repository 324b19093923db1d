# Language level, warnings, sanitizers and ccache, the same for every target of the project.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

if(CMAKE_CXX_FLAGS_RELWITHDEBINFO STREQUAL "-O2 -g -DNDEBUG")
  # Line tables give backtraces and profiles their lines; full debug information costs a third of the compile time
  # (sweep.cpp: 11.7 s with -g, 8.0 s with -g1).
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1 -DNDEBUG")
endif()

find_program(FEEDTUNE_CCACHE ccache)
if(FEEDTUNE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # The sloppiness is what ccache needs to cache a file that uses a precompiled header; the rest lets a second clone or worktree use
  # what the first has compiled.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}"
      CCACHE_ABSSTDERR=1 "${FEEDTUNE_CCACHE}")
endif()

find_package(Threads REQUIRED)

add_library(feedtune_options INTERFACE)
if(FEEDTUNE_PCH)
  target_compile_options(feedtune_options INTERFACE -fpch-preprocess)  # for ccache
endif()
target_compile_options(feedtune_options INTERFACE "-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.")  # object files without the tree's path
target_compile_options(feedtune_options INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual)
if(FEEDTUNE_WERROR)
  target_compile_options(feedtune_options INTERFACE -Werror)
endif()
if(FEEDTUNE_SANITIZE)
  # -O1 and line tables only: half the compile time, the same reports.
  set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1")
  target_compile_options(feedtune_options INTERFACE
    -fsanitize=${FEEDTUNE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all
    -Wno-maybe-uninitialized)  # the instrumented code makes g++ 12 see what isn't there, in std::variant above all
  target_link_options(feedtune_options INTERFACE -fsanitize=${FEEDTUNE_SANITIZE})
  if(FEEDTUNE_SANITIZE MATCHES "thread")
    # g++ 12's ThreadSanitizer doesn't model std::atomic_thread_fence; we use none, but libstdc++ headers may warn.
    target_compile_options(feedtune_options INTERFACE -Wno-tsan)
  endif()
endif()
target_link_libraries(feedtune_options INTERFACE Threads::Threads)
