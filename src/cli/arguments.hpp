#pragma once
// The command line as plain text values: what was typed, not yet what it means.

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace feedtune {

struct SweepArguments {
  std::optional<std::string> spec_file;
  std::map<std::string, std::string> options;  ///< option name without dashes -> text as typed
  std::vector<std::string> axes;               ///< "num_workers=0,1,2"
  bool resume = false;
  bool dry_run = false;
  bool quiet = false;
  bool no_anchors = false;
  bool print_config = false;
  bool identify = false;
};

struct RecommendArguments {
  std::string run;
  std::optional<std::string> within;
  std::string format = "text";
  bool allow_fake = false;
};

struct ExplainArguments {
  std::string run;
  std::optional<std::string> trial;
  std::string format = "text";
  bool allow_fake = false;
};

struct EvaluateArguments {
  std::vector<std::string> replays;
  std::string strategies;
  std::string seeds = "20";
  std::string seed = "1";
  std::string budget = "15%";
  std::string within = "2%";
  std::string format = "text";
};

struct MakeDataArguments {
  std::string folder;
  std::string images = "1000";
  std::string seed = "1";
  bool quiet = false;
};

struct PackArguments {
  std::string folder;
  std::string data;
  std::string kind = "jpeg";
  std::optional<std::string> side;
  std::optional<std::string> quality;
  bool quiet = false;
};

struct CalibrateArguments {
  std::string output;
  std::string device = "cuda";
  std::string models = "mixer-s16";
  std::optional<std::string> precisions;
  std::string batch_sizes = "16,32,64,128,256,512";
  std::string image_size = "224";
  std::string time = "60s";
  std::optional<std::string> name;
  bool allow_fake = false;
  bool quiet = false;
};

struct DoctorArguments {
  std::optional<std::string> data;
  std::optional<std::string> current;
  std::string image_size = "224";
  std::string format = "text";
  bool identify = false;
};

struct ValidateArguments {
  std::string file;
};

/// devices, models, axes, strategies: a table, as text or Markdown.
struct ListArguments {
  std::string what;
  std::string format = "text";
};

/// Internal: the child's side of a trial.
struct TrialArguments {};
/// Internal: asks for the cuda device, for cuda_probe().
struct CudaProbeArguments {};
/// Internal: scripts/gpu_check.sh's parts, left in a folder, as one document.
struct GpuCheckArguments {
  std::string folder;
  std::string out;
};

/// Internal: measures a device's rates, for calibrate.
struct RatesArguments {};

using Arguments = std::variant<SweepArguments, RecommendArguments, ExplainArguments, EvaluateArguments, MakeDataArguments, PackArguments, CalibrateArguments,
                               DoctorArguments, ValidateArguments, ListArguments, TrialArguments, CudaProbeArguments, RatesArguments, GpuCheckArguments>;

/// Help or version was asked for: `text` goes to stdout, exit 0.
struct ShowText {
  std::string text;
};

/// Throws UsageError with the text for stderr.
std::variant<Arguments, ShowText> parse_arguments(int argc, char** argv);

/// Options of `sweep` that take a value, with what --help and --print-config say of them.
struct SweepOption {
  const char* name;
  const char* value;
  const char* summary;
};
const std::vector<SweepOption>& sweep_options();

}  // namespace feedtune
