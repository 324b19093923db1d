// CLI11 lives in this file alone: it costs 19 s to compile (56 s with sanitizers).
#include "cli/arguments.hpp"

#include <CLI/CLI.hpp>

#include "cli/version.hpp"
#include "core/error.hpp"

namespace feedtune {
namespace {

constexpr const char* identify_summary = "also write host name, serial number, UUID and network addresses";

}  // namespace

const std::vector<SweepOption>& sweep_options() {
  static const std::vector<SweepOption> options = {
      {"data", "DIR", "folder of classes, flat folder, packed folder, or a text file that lists images"},
      {"device", "D", "auto, cuda, cpu, null, virtual:NAME, virtual:FILE.json (see `feedtune devices`)"},
      {"model", "M", "training step (see `feedtune models`)"},
      {"step", "T@B,..", "your own step times instead of a model: 85ms@64,150ms@128 (virtual devices)"},
      {"current", "NAME=V,..", "what you use today: measured beside the rest, and its batch size is kept"},
      {"strategy", "S", "how to search (see `feedtune strategies`)"},
      {"budget", "B", "when to stop: 5m, 90s or 200trials (default: 5m; with axes given, when the strategy has ended)"},
      {"replay", "FILE", "measure nothing: answer every trial from a recorded run or a CSV of runs (see results/README.md)"},
      {"trial-time", "T", "longest measured time of one trial, after warm-up: 3s"},
      {"cache", "C", "page cache before each trial: warm, cold, as-is"},
      {"image-size", "N", "side of the square input, pixels"},
      {"within", "P", "loss under which two settings count as equal: 2%"},
      {"seed", "N", "of the order, the shuffle and the crops"},
      {"out", "DIR", "run folder (default: a new one named by date, time and device)"},
  };
  return options;
}

std::variant<Arguments, ShowText> parse_arguments(int argc, char** argv) {
  CLI::App app{"feedtune finds out why a GPU waits for data, and which input-pipeline settings fix it."};
  app.name("feedtune");
  app.require_subcommand(1);
  app.set_version_flag("--version", version_text());
  app.footer("Start with: feedtune sweep --data DIR\nEvery sweep option with a value is also an environment variable: --trial-time is FEEDTUNE_TRIAL_TIME, "
             "--axis is FEEDTUNE_AXES (num_workers=0,2;loader=pooled).");

  SweepArguments sweep;
  auto* sweep_command = app.add_subcommand("sweep", "Measure settings, recommend the best, name the bottleneck");
  std::map<std::string, CLI::Option*> valued;
  std::map<std::string, std::string> text;
  std::string spec_file;
  sweep_command->add_option("spec", spec_file, "spec file (see configs/); flags and environment win over it");
  for (const auto& option : sweep_options())
    valued[option.name] = sweep_command->add_option(std::string("--") + option.name, text[option.name], option.summary)
                              ->type_name(option.value);
  sweep_command->add_option("--axis", sweep.axes, "restrict or add one axis: num_workers=0,1,2 (see `feedtune axes`)")
      ->type_name("NAME=V,V,..")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  sweep_command->add_flag("--no-anchors", sweep.no_anchors, "skip the fixed trials that make machines comparable");
  sweep_command->add_flag("--resume", sweep.resume, "go on with the run in --out");
  sweep_command->add_flag("--dry-run", sweep.dry_run, "list the trials with their time and memory, measure nothing");
  sweep_command->add_flag("--print-config", sweep.print_config, "show each setting and where it came from, measure nothing");
  sweep_command->add_flag("--identify", sweep.identify, identify_summary);
  sweep_command->add_flag("--quiet", sweep.quiet, "no progress on stderr");

  RecommendArguments recommend;
  auto* recommend_command = app.add_subcommand("recommend", "The answer of a finished or interrupted run");
  std::string within;
  recommend_command->add_option("run", recommend.run, "run folder or result file")->required();
  auto* within_option = recommend_command->add_option("--within", within, "loss under which two settings count as equal: 2%");
  recommend_command->add_flag("--allow-fake", recommend.allow_fake, "also of a run on the tests' fake GPU");
  recommend_command->add_option("--format", recommend.format, "text, json or pytorch")
      ->check(CLI::IsMember({"text", "json", "pytorch"}));

  ExplainArguments explain;
  auto* explain_command = app.add_subcommand("explain", "Why a run's trials are as slow as they are, and what to do");
  std::string trial;
  explain_command->add_option("run", explain.run, "run folder or result file")->required();
  auto* trial_option = explain_command->add_option("--trial", trial, "of this trial (without it: of the current, recommended and baseline settings)")->type_name("ID");
  explain_command->add_flag("--allow-fake", explain.allow_fake, "also of a run on the tests' fake GPU");
  explain_command->add_option("--format", explain.format, "text or json")->check(CLI::IsMember({"text", "json"}));

  EvaluateArguments evaluate;
  auto* evaluate_command = app.add_subcommand("evaluate", "How well strategies search recorded grids: regret, cost, bias, coverage");
  evaluate_command->add_option("--replay", evaluate.replays, "recorded runs, or CSV files of runs (see results/README.md)")->type_name("FILE..")->required();
  evaluate_command->add_option("--strategy", evaluate.strategies, "strategies to compare (see `feedtune strategies`)")->type_name("S,..")->required();
  evaluate_command->add_option("--seeds", evaluate.seeds, "sweeps of each strategy on each file, and as many A/A sweeps (20)")->type_name("N");
  evaluate_command->add_option("--seed", evaluate.seed, "the first of them (1)")->type_name("N");
  evaluate_command->add_option("--budget", evaluate.budget, "of each sweep: 15% (of what one trial of every configuration costs), 5m or 200trials")
      ->type_name("B");
  evaluate_command->add_option("--within", evaluate.within, "loss under which two settings count as equal: 2%")->type_name("P");
  evaluate_command->add_option("--format", evaluate.format, "text or json")->check(CLI::IsMember({"text", "json"}));

  MakeDataArguments make_data;
  auto* make_data_command = app.add_subcommand("make-data", "Write a synthetic JPEG set with ImageNet's statistics, the same bytes everywhere");
  make_data_command->add_option("folder", make_data.folder, "new or empty folder")->required();
  make_data_command->add_option("--images", make_data.images, "how many (1000)");
  make_data_command->add_option("--seed", make_data.seed, "of the pictures (1)");
  make_data_command->add_flag("--quiet", make_data.quiet, "no progress on stderr");

  PackArguments pack;
  auto* pack_command = app.add_subcommand("pack", "Put a data set's files into a few large ones, to be read with storage=packed");
  std::string side, quality;
  pack_command->add_option("folder", pack.folder, "new or empty folder; give it as --data afterwards")->required();
  pack_command->add_option("--data", pack.data, "folder of classes, flat folder, or a text file that lists images")->type_name("SOURCE")->required();
  pack_command->add_option("--kind", pack.kind, "jpeg: the files as they are; resized: smaller JPEGs; raw: RGB pixels")
      ->check(CLI::IsMember({"jpeg", "resized", "raw"}));
  auto* side_option = pack_command->add_option("--side", side, "of resized and raw: the shorter side is at most this, pixels (256), or: full")->type_name("N");
  auto* quality_option = pack_command->add_option("--quality", quality, "of resized: of the JPEGs, 1 to 100 (90)")->type_name("Q");
  pack_command->add_flag("--quiet", pack.quiet, "no progress on stderr");

  CalibrateArguments calibrate;
  auto* calibrate_command = app.add_subcommand("calibrate", "Measure this GPU and write it as a profile for --device virtual:FILE.json");
  std::string precisions, profile_name;
  calibrate_command->add_option("-o,--output", calibrate.output, "new file")->type_name("FILE.json")->required();
  calibrate_command->add_option("--device", calibrate.device, "cuda, or auto, which means the same here")->type_name("D");
  calibrate_command->add_option("--model", calibrate.models, "training steps to measure (mixer-s16)")->type_name("M,..");
  auto* precisions_option = calibrate_command->add_option("--precision", precisions, "of the steps (bf16 where the device has it, else fp16)")->type_name("P,..");
  calibrate_command->add_option("--batch", calibrate.batch_sizes, "batch sizes, 4 at least (16,32,64,128,256,512); one more is measured to judge the fit")
      ->type_name("B,..");
  calibrate_command->add_option("--image-size", calibrate.image_size, "side of the square input, pixels (224)")->type_name("N");
  calibrate_command->add_option("--time", calibrate.time, "in which all is measured (60s)")->type_name("T");
  auto* name_option = calibrate_command->add_option("--name", profile_name, "of the profile (the file's name without .json)");
  calibrate_command->add_flag("--allow-fake", calibrate.allow_fake, "also of the tests' fake GPU");
  calibrate_command->add_flag("--quiet", calibrate.quiet, "no progress on stderr");

  DoctorArguments doctor;
  auto* doctor_command = app.add_subcommand("doctor", "What is wrong with this machine for training, without measuring");
  std::string doctor_data, doctor_current;
  auto* doctor_data_option = doctor_command->add_option("--data", doctor_data, "the images whose disk and filesystem are judged")->type_name("DIR");
  auto* doctor_current_option =
      doctor_command->add_option("--current", doctor_current, "the settings that needs are computed for (batch_size=64,num_workers=CPUs,prefetch=2)")
          ->type_name("NAME=V,..");
  doctor_command->add_option("--image-size", doctor.image_size, "side of the square input, pixels (224)")->type_name("N");
  doctor_command->add_option("--format", doctor.format, "text or json")->check(CLI::IsMember({"text", "json"}));
  doctor_command->add_flag("--identify", doctor.identify, identify_summary);

  ValidateArguments validate;
  auto* validate_command = app.add_subcommand("validate", "Check a run folder, a result file, a journal, a packed folder or a device profile");
  validate_command->add_option("file", validate.file, "run folder, file or packed folder")->required();

  ListArguments list;
  std::vector<std::pair<CLI::App*, std::string>> lists;
  for (const auto& [name, summary] : {std::pair{"devices", "Devices that a sweep can use here, and why others can't"},
                                      std::pair{"models", "Training steps with their parameters, FLOPs and memory"},
                                      std::pair{"axes", "Axes of the search space with their values"},
                                      std::pair{"strategies", "Ways to search"}}) {
    auto* command = app.add_subcommand(name, summary);
    command->add_option("--format", list.format, "text or md")->check(CLI::IsMember({"text", "md"}));
    lists.emplace_back(command, name);
  }
  auto* trial_command = app.add_subcommand("__trial", "")->group("");
  auto* cuda_command = app.add_subcommand("__cuda", "")->group("");
  GpuCheckArguments gpu_check;
  auto* gpu_check_command = app.add_subcommand("__gpu_check", "")->group("");
  gpu_check_command->add_option("folder", gpu_check.folder)->required();
  gpu_check_command->add_option("out", gpu_check.out)->required();
  auto* rates_command = app.add_subcommand("__rates", "")->group("");

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return ShowText{app.help()};
  } catch (const CLI::CallForAllHelp&) {
    return ShowText{app.help("", CLI::AppFormatMode::All)};
  } catch (const CLI::CallForVersion&) {
    return ShowText{version_text() + "\n"};
  } catch (const CLI::ParseError& error) {
    throw UsageError(std::string(error.what()) + " (see `feedtune --help`)");
  }

  if (sweep_command->parsed()) {
    if (!spec_file.empty()) sweep.spec_file = spec_file;
    for (const auto& [name, option] : valued)
      if (option->count() > 0) sweep.options[name] = text[name];
    return Arguments{sweep};
  }
  if (recommend_command->parsed()) {
    if (within_option->count() > 0) recommend.within = within;
    return Arguments{recommend};
  }
  if (explain_command->parsed()) {
    if (trial_option->count() > 0) explain.trial = trial;
    return Arguments{explain};
  }
  if (evaluate_command->parsed()) return Arguments{evaluate};
  if (make_data_command->parsed()) return Arguments{make_data};
  if (pack_command->parsed()) {
    if (side_option->count() > 0) pack.side = side;
    if (quality_option->count() > 0) pack.quality = quality;
    return Arguments{pack};
  }
  if (calibrate_command->parsed()) {
    if (precisions_option->count() > 0) calibrate.precisions = precisions;
    if (name_option->count() > 0) calibrate.name = profile_name;
    return Arguments{calibrate};
  }
  if (doctor_command->parsed()) {
    if (doctor_data_option->count() > 0) doctor.data = doctor_data;
    if (doctor_current_option->count() > 0) doctor.current = doctor_current;
    return Arguments{doctor};
  }
  if (validate_command->parsed()) return Arguments{validate};
  if (trial_command->parsed()) return Arguments{TrialArguments{}};
  if (cuda_command->parsed()) return Arguments{CudaProbeArguments{}};
  if (gpu_check_command->parsed()) return Arguments{gpu_check};
  if (rates_command->parsed()) return Arguments{RatesArguments{}};
  for (const auto& [command, name] : lists) {
    if (command->parsed()) {
      list.what = name;
      return Arguments{list};
    }
  }
  throw UsageError("no command given (see `feedtune --help`)");
}

}  // namespace feedtune
