// Where this build and its sources lie, for tests that start a program or read a file of the project. Absolute paths; defined in
// a file that CMake writes, so that no test's own object file depends on where the tree is (and ccache's holds for any tree).
#pragma once

namespace feedtune::build_paths {

extern const char* const sources;        // the project's top folder
extern const char* const test_data;      // tests/data
extern const char* const program;        // the feedtune program
extern const char* const process_child;  // tests/process/child_program.cpp's program
extern const char* const trial_child;    // tests/trial/trial_child_program.cpp's
extern const char* const fake_cuda;      // the folder of the emulated CUDA libraries
extern const char* const nvtx_recorder;  // tests/nvtx_recorder's library; empty without NVTX
extern const char* const include_rules;  // which folder may include which
extern const char* const compiler;

}  // namespace feedtune::build_paths
