#include <iostream>

#include "analyze/recommend.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "core/error.hpp"
#include "core/parse.hpp"
#include "json/run_json.hpp"
#include "report/recommend_pytorch.hpp"
#include "report/recommend_text.hpp"
#include "store/run_folder.hpp"

namespace feedtune {

int run_command(const RecommendArguments& arguments) {
  const Run run = load_run(arguments.run);
  if (run.device.fake && !arguments.allow_fake)
    throw InputError(arguments.run, "was measured on the tests' fake GPU, so it says nothing about one (--allow-fake shows it all the same)");
  RecommendOptions options{run.spec.within};
  if (arguments.within) {
    try {
      options.within = parse_share(*arguments.within, "--within");
    } catch (const SpecError& error) {
      throw UsageError(error.what());
    }
  }
  const Recommendation recommendation = recommend(run, options);
  if (!recommendation.best) throw InputError(arguments.run, "nothing to recommend: " + recommendation.warnings.front());
  if (arguments.format == "json") {
    std::cout << encode(recommendation);
  } else if (arguments.format == "pytorch") {
    std::cout << recommend_pytorch(run, recommendation);
  } else {
    std::cout << recommend_text(run, recommendation);
  }
  return exit_code::ok;
}

}  // namespace feedtune
