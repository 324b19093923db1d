#pragma once
// One function a command, one file each (command_<name>.cpp). They print, and return the exit code; errors are thrown.

#include "cli/arguments.hpp"

namespace feedtune {

int run_command(const SweepArguments& arguments);
int run_command(const RecommendArguments& arguments);
int run_command(const ExplainArguments& arguments);
int run_command(const EvaluateArguments& arguments);
int run_command(const MakeDataArguments& arguments);
int run_command(const PackArguments& arguments);
int run_command(const CalibrateArguments& arguments);
int run_command(const DoctorArguments& arguments);
int run_command(const ValidateArguments& arguments);
int run_command(const ListArguments& arguments);
int run_command(const TrialArguments& arguments);
int run_command(const CudaProbeArguments& arguments);
int run_command(const GpuCheckArguments& arguments);
int run_command(const RatesArguments& arguments);

}  // namespace feedtune
