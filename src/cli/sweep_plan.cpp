#include "cli/sweep_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "cli/devices.hpp"
#include "cli/files.hpp"
#include "cli/utc.hpp"
#include "cli/version.hpp"
#include "core/error.hpp"
#include "core/nearest.hpp"
#include "core/read_file.hpp"
#include "device/step_curve.hpp"
#include "json/anchors.hpp"
#include "machine/cpu_limit.hpp"
#include "machine/facts.hpp"
#include "machine/fingerprint.hpp"
#include "machine/memory.hpp"
#include "model/model.hpp"
#include "pipeline/data_folders.hpp"
#include "pipeline/data_set.hpp"
#include "pipeline/image_list.hpp"
#include "pipeline/make_data.hpp"
#include "space/planned_memory.hpp"
#include "space/space.hpp"
#include "trial/training_loop.hpp"

namespace feedtune {
namespace fs = std::filesystem;
namespace {

std::string default_model(const std::string& device) { return device == "cpu" || device == "null" ? "mixer-nano" : "mixer-s16"; }

ModelFacts user_step_facts() {
  ModelFacts facts;
  facts.name = "user";
  return facts;
}

Precision first_precision(const SearchSpace& space) {
  for (const auto& configuration : space.configurations)
    if (const auto text = configuration.text("precision"))
      if (const auto precision = enum_from_text<Precision>(*text)) return *precision;
  return Precision::fp32;
}

/// Device bytes of a configuration, by the model's planner; nothing for a user's own step, whose memory nobody knows.
std::optional<std::uint64_t> planned_bytes(const Configuration& configuration, const TrialSetup& base, const DeviceFacts& device) {
  if (!base.step.times.empty()) return std::nullopt;
  const TrialSetup setup = apply(configuration, base);
  const int inputs = device.copies ? input_buffers(setup.step.transfer) : 0;
  return planned_device_bytes(model_preset(setup.step.model), setup.data.image_size, setup.loader.batch_size, setup.step.precision,
                              setup.loader.input_type, inputs);
}

AnchorSet read_anchors() {
  const std::string path = (fs::path(configs_folder()) / "anchors-v1.json").string();
  return decode_anchors(read_file(path), path);
}

std::string anchor_folder(const AnchorSet& set) {
  return (fs::path(cache_folder()) / fmt::format("{}-{}-images-seed-{}", set.version, set.images, set.seed)).string();
}

std::vector<AnchorTrial> make_anchors(const TrialSetup& base, const SweepPlan& plan) {
  const AnchorSet set = read_anchors();
  SearchSpace space;  // the anchors' own: their data, no axis of the user's
  space.context = plan.space.context;
  space.context.data_images = set.images;
  space.context.storage = "files";
  space.context.storage_missing.clear();
  space.context.user_step = false;
  std::vector<AnchorTrial> anchors;
  for (const auto& configuration : set.configurations) {
    AnchorTrial anchor;
    anchor.base = base;
    anchor.base.data.path = anchor_folder(set);
    anchor.base.data.fingerprint.clear();  // made, or completed, after this
    anchor.base.data.image_size = set.image_size;
    anchor.base.data.seed = set.seed;
    anchor.base.step.model = set.model;
    anchor.base.step.times.clear();
    anchor.target.max_time_s = set.trial_time_s;
    anchor.target.min_time_s = std::min(1.0, set.trial_time_s);
    anchor.target.cache = CachePolicy::warm;
    // An axis that means nothing on this device is left out, as in every configuration.
    anchor.configuration = complete(configuration, space, "anchors").configuration;
    anchors.push_back(std::move(anchor));
  }
  return anchors;
}

/// The recommendation keeps the user's batch size, so the search has to look there.
void add_current_batch(Spec& spec, SpaceContext& context, const std::function<void(const std::string&)>& say) {
  context.current_batch = spec.current ? spec.current->integer("batch_size") : std::nullopt;
  const auto given = spec.axes.find("batch_size");
  if (!context.current_batch || given == spec.axes.end()) return;
  const AxisValue batch = *context.current_batch;
  if (std::find(given->second.begin(), given->second.end(), batch) != given->second.end()) return;
  given->second.push_back(batch);
  say(fmt::format("batch_size: {} is swept too: --current uses it", *context.current_batch));
}

/// What is given as --data is read as it is: a packed folder through its shards.
void add_storage(SpaceContext& context, const ImageList& list) {
  if (!list.packed_folder().empty()) context.storage = to_text(Storage::packed);
  for (const auto& [storage, name] : enum_names<Storage>())
    if (std::string why = storage_unavailable(list, storage); !why.empty())
      context.storage_missing.emplace(name, std::move(why));
}

/// A profile that was calibrated may lack the step that is swept.
void say_unmeasured(const TrialSetup& base, const SearchSpace& space, const std::function<void(const std::string&)>& say) {
  if (!base.profile || base.profile->steps.empty() || !base.step.times.empty()) return;
  std::set<std::string> unmeasured;
  std::map<std::string, std::set<int>> beyond;  // by what was measured
  for (const Configuration& configuration : space.configurations) {
    const TrialSetup setup = apply(configuration, base);
    const StepCurve* const curve = measured_step(setup);
    const int batch = setup.loader.batch_size;
    if (curve == nullptr)
      unmeasured.emplace(to_text(setup.step.precision));
    else if (const int first = curve->points.front().batch_size, last = curve->points.back().batch_size; batch < first || batch > last)
      beyond[fmt::format("{} in {} at batch sizes {} to {}", curve->model, to_text(curve->precision), first, last)].insert(batch);
  }
  for (const auto& [measured, batches] : beyond)
    say(fmt::format("{}: batch_size {} lies beyond what was measured ({}), and is extrapolated", base.device, fmt::join(batches, ", "), measured));
  std::vector<std::string> measured;
  for (const StepCurve& curve : base.profile->steps)
    measured.push_back(fmt::format("{} in {} at {} pixels", curve.model, to_text(curve.precision), curve.image_size));
  for (const std::string& precision : unmeasured)
    say(fmt::format("{}: the step of {} in {} at {} pixels was not measured and is computed from GEMM rates (measured: {})", base.device, base.step.model,
                    precision, base.data.image_size, joined(measured)));
}

}  // namespace

void prepare_anchor_data(const SweepPlan& plan, const std::function<void(const std::string&)>& say) {
  if (plan.anchors.empty()) return;
  const AnchorSet set = read_anchors();
  MakeDataOptions data;
  data.folder = anchor_folder(set);
  data.images = set.images;
  data.seed = set.seed;
  std::error_code unseen;  // make_data names what it can't look at
  if (!fs::exists(data.folder, unseen)) say(fmt::format("making {} images for the anchors in {}", set.images, data.folder));
  try {
    make_data(data, {});
  } catch (const IoError& error) {
    throw IoError(error, "images for the anchors are kept there; XDG_CACHE_HOME names another folder, --no-anchors does without");
  } catch (const InputError& error) {
    throw InputError("anchors", fmt::format("{} (--no-anchors does without)", error.what()));
  }
}

SweepPlan make_plan(const Spec& asked, const std::string& out, const std::function<void(const std::string&)>& say) {
  SweepPlan plan;
  Run& run = plan.header;
  run.spec = asked;
  Spec& spec = run.spec;
  if (spec.data.empty()) throw UsageError("sweep needs --data DIR: a folder of images (feedtune make-data DIR writes a synthetic set)");

  run.tool = tool_facts();
  run.started = utc_now();
  std::error_code no_folder;
  const fs::path data = fs::weakly_canonical(spec.data, no_folder);  // a link's target is where the bytes are
  if (no_folder) throw IoError(spec.data, "find", no_folder.value());
  run.machine = machine_facts(data.string());
  const int cpus = std::max(1, static_cast<int>(run.machine.cpus.effective));

  std::string note;
  const ChosenDevice device = choose_device(spec.device, cpus, note);
  if (!note.empty()) say(note);
  spec.device = device.name;
  run.device = device.facts;
  if (!spec.step_times.empty() && !device.profile && device.name != "null")
    throw UsageError(fmt::format("--step needs a virtual device; {} runs its own step", device.name));
  if (spec.model.empty()) spec.model = spec.step_times.empty() ? default_model(device.name) : "user";

  const ImageList list = ImageList::from_path(spec.data);
  DataFolders(list, spec.data).refuse_inside(out);
  run.data = list.facts();

  TrialSetup& base = plan.base;
  base.data.path = spec.data;
  base.data.seed = spec.seed;
  base.data.image_size = spec.image_size;
  base.data.fingerprint = list.fingerprint();
  base.device = device.name;
  base.profile = device.profile;
  base.step.model = spec.model;
  base.step.times = spec.step_times;
  base.step.model_threads = cpus;
  if (spec.step_times.empty()) (void)model_preset(spec.model);

  SpaceContext context;
  context.effective_cpus = run.machine.cpus.effective;
  context.device = run.device;
  context.data_images = run.data.images;
  add_storage(context, list);
  context.user_step = !spec.step_times.empty();
  context.planned_device_bytes = [base, facts = run.device](const Configuration& configuration) {
    return planned_bytes(configuration, base, facts);
  };
  context.planned_host_bytes = [base](const Configuration& configuration) { return planned_host_bytes(apply(configuration, base)); };
  context.host_memory_bytes = whole_memory_bytes();
  add_current_batch(spec, context, say);
  plan.space = build_space(spec.axes, context);
  say_unmeasured(base, plan.space, say);
  run.model = spec.step_times.empty() ? model_facts(model_preset(spec.model), spec.image_size, first_precision(plan.space))
                                      : user_step_facts();
  add_fingerprint(run.machine, run.device, run.tool);
  if (spec.anchors) plan.anchors = make_anchors(base, plan);
  return plan;
}

}  // namespace feedtune
