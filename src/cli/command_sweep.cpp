#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <iostream>
#include <memory>
#include <optional>

#include "analyze/recommend.hpp"
#include "cli/commands.hpp"
#include "cli/exit_codes.hpp"
#include "cli/progress.hpp"
#include "cli/replay_plan.hpp"
#include "cli/settings.hpp"
#include "cli/signals.hpp"
#include "cli/sweep_plan.hpp"
#include "cli/trial_children.hpp"
#include "core/enums.hpp"
#include "core/error.hpp"
#include "core/single_line.hpp"
#include "machine/facts.hpp"
#include "process/child.hpp"
#include "replay/replay_runner.hpp"
#include "cli/dry_run_text.hpp"
#include "report/recommend_text.hpp"
#include "store/run_folder.hpp"
#include "sweep/dry_run.hpp"
#include "sweep/resume.hpp"
#include "trial/process_runner.hpp"

namespace feedtune {
namespace {

class FolderSink final : public SweepSink {
 public:
  explicit FolderSink(RunFolder& folder) : folder_(folder) {}
  void append(const TrialResult& trial) override { folder_.append(trial); }
  void append(const RunNote& note) override { folder_.append(note); }

 private:
  RunFolder& folder_;
};

std::string new_folder_name(const std::string& device) {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  localtime_r(&now, &parts);
  std::string name = fmt::format("feedtune-{:04}{:02}{:02}-{:02}{:02}{:02}-{}", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                                 parts.tm_hour, parts.tm_min, parts.tm_sec, device);
  std::replace(name.begin(), name.end(), ':', '-');
  return name;
}

std::unique_ptr<TrialRunner> make_runner(const std::optional<RecordedMachine>& machine, const Run& resumed) {
  if (machine) return std::make_unique<ReplayRunner>(*machine, simulated_time_after(resumed.trials));
  return std::make_unique<ProcessRunner>(trial_children(), std::make_shared<SteadyClock>());
}

/// The exit code of a sweep that ended.
int exit_code_of(const Run& run) {
  if (stop_signal() != 0) return exit_code::signal_base + stop_signal();
  bool worked = false, failed = false;
  for (const auto& trial : run.trials) {
    if (trial.purpose != Purpose::trial || trial.stage == "anchor") continue;
    worked = worked || trial.status == TrialStatus::ok;
    failed = failed || is_failure(trial.status);
  }
  if (!worked) return exit_code::bad_input;
  return failed || !run.complete ? exit_code::finished_with_failures : exit_code::ok;
}

}  // namespace

int run_command(const SweepArguments& arguments) {
  Settings settings = resolve_settings(arguments, process_environment());
  if (arguments.print_config) {
    std::cout << describe(settings);
    return exit_code::ok;
  }
  if (arguments.resume && !settings.out) throw UsageError("--resume needs --out DIR, the run to go on with");
  const auto say = [&](const std::string& text) {
    if (!arguments.quiet) std::cerr << single_line(text) << '\n';
  };
  std::optional<RecordedMachine> machine;  // instead of this one
  if (settings.replay) {
    if (arguments.dry_run) throw UsageError("--dry-run cannot be given with --replay: a replay measures nothing and takes no time");
    machine.emplace(read_grid(*settings.replay), settings.spec.seed);
  }
  SweepPlan plan = machine ? make_replay_plan(settings.spec, *settings.replay, *machine) : make_plan(settings.spec, settings.out.value_or("."), say);
  if (arguments.identify && !machine) add_identity_facts(Root(), plan.header.machine.facts);
  const DryRun planned = dry_run(plan);  // finds every mistake that the sweep would find before its first trial
  if (arguments.dry_run) {
    std::cout << dry_run_text(plan.header, planned);
    return exit_code::ok;
  }

  const std::string out = settings.out.value_or(new_folder_name(machine ? "replay" : plan.header.spec.device));
  JournalContent recorded;
  RunFolder folder = [&] {
    if (!arguments.resume) {
      prepare_anchor_data(plan, say);  // first: when it fails, no run has begun, and the same command can be given again
      return RunFolder::create(out, plan.header);
    }
    RunFolder resumed = RunFolder::resume(out, recorded);
    check_resumable(recorded.run, plan.header, out);
    if (recorded.torn) say(fmt::format("{}: its last record was cut off and is dropped: {}", out, *recorded.torn));
    prepare_anchor_data(plan, say);
    return resumed;
  }();

  become_subreaper();
  watch_signals();
  const std::unique_ptr<TrialRunner> runner = make_runner(machine, recorded.run);

  const RecommendOptions recommend_options{plan.header.spec.within};
  FolderSink sink(folder);
  Run run;
  {
    Progress progress = make_progress();
    Quiet quiet;
    SweepHooks hooks;
    hooks.next_to_confirm = [&](const Run& so_far) { return next_to_confirm(so_far, recommend_options); };
    hooks.stop_requested = [] { return stop_signal() != 0; };
    hooks.sink = &sink;
    hooks.observer = arguments.quiet ? static_cast<SweepObserver*>(&quiet) : &progress;
    run = run_sweep(plan, *runner, hooks, arguments.resume ? &recorded.run : nullptr);
  }
  run.recommendation = recommend(run, recommend_options);
  folder.write_result(run);
  std::cout << recommend_text(run, *run.recommendation) << std::flush;
  say("");
  say(fmt::format("result: {}/result.json", folder.path()));
  if (stop_signal() != 0) say(fmt::format("stopped by a signal; go on with: feedtune sweep ... --out {} --resume", folder.path()));
  return exit_code_of(run);
}

}  // namespace feedtune
