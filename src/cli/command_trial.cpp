#include "cli/commands.hpp"
#include "trial/process_runner.hpp"

namespace feedtune {

int run_command(const TrialArguments&) { return serve_trials(); }

}  // namespace feedtune
