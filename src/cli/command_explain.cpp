#include <iostream>
#include <limits>

#include "analyze/explain.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/option_values.hpp"
#include "core/error.hpp"
#include "json/explanation_json.hpp"
#include "json/run_json.hpp"
#include "report/explain_text.hpp"
#include "store/run_folder.hpp"

namespace feedtune {

int run_command(const ExplainArguments& arguments) {
  const Run run = load_run(arguments.run);
  if (run.device.fake && !arguments.allow_fake)
    throw InputError(arguments.run, "was measured on the tests' fake GPU, so it says nothing about one (--allow-fake shows it all the same)");
  std::optional<std::int64_t> trial;
  if (arguments.trial) trial = integer_option<std::int64_t>(*arguments.trial, "--trial", 1, std::numeric_limits<std::int64_t>::max());
  const Explanation explanation = explain(run, trial, arguments.run);
  std::cout << (arguments.format == "json" ? encode(explanation) : explain_text(explanation));
  return exit_code::ok;
}

}  // namespace feedtune
