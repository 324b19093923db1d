#include "report/recommend_pytorch.hpp"

#include <fmt/format.h>

#include "analyze/roles.hpp"
#include "report/format.hpp"

namespace feedtune {
namespace {

/// Comment lines: whatever the text holds, it cannot become code.
std::string comment(const std::string& text) {
  std::string lines = "# " + wrapped(text, 2, 2);
  for (std::size_t at = lines.find('\n'); at + 1 < lines.size(); at = lines.find('\n', at + 1)) lines[at + 1] = '#';
  return lines;
}

std::string provenance(const Run& run, const Candidate& c) {
  const std::string device = run.device.title.empty() ? run.device.name : run.device.title;
  std::string text =
      comment(fmt::format("{} images/s at batch_size {} with {:.3g} CPUs and {}{}, {}.", rate_text(c.images_per_s.mean),
                          c.configuration.integer("batch_size").value_or(0), run.machine.cpus.effective, device,
                          run.device.modelled ? " (modelled)" : "",
                          c.stage == "confirm" ? counted(c.images_per_s.n, "block")
                                               : std::string("in the search only, not confirmed")));
  if (c.configuration.text("loader") == "external") return text + comment("Measured with your own loader.");
  return text + comment("Measured with feedtune's native loader, not in PyTorch.");
}

std::string hints(const Configuration& c, bool pinned) {
  std::string text;
  if (pinned)
    text += comment("With pinned memory copy without blocking: images = images.to(device, non_blocking=True)");
  if (c.text("pinning") == "register")
    text += comment("Measured with registered memory: PYTORCH_CUDA_ALLOC_CONF=pinned_use_cuda_host_register:True");
  if (const auto threads = c.integer("worker_threads"); threads && *threads > 1)
    text += comment(fmt::format(
        "Measured with {0} threads a worker: worker_init_fn=lambda _: torch.set_num_threads({0})", *threads));
  if (const auto affinity = c.text("affinity"); affinity && *affinity != "none")
    text +=
        comment(fmt::format("Measured with the workers pinned to CPUs (affinity {}): os.sched_setaffinity in "
                            "worker_init_fn.",
                            *affinity));
  if (const auto storage = c.text("storage"); storage && *storage != "files")
    text += comment(fmt::format("Measured with storage {}: the data set has to hold its files that way.", *storage));
  return text;
}

}  // namespace

std::string recommend_pytorch(const Run& run, const Recommendation& r) {
  std::string text = comment("DataLoader arguments by feedtune.");
  if (run.device.fake) text += "# fake: the tests' fake GPU computed this; nothing here is a GPU's figure\n";
  if (run.spec.replay) text += comment(fmt::format("replayed: drawn from the trials recorded in {}", run.spec.replay->file));
  if (r.modelled)
    text += comment(
        fmt::format("modelled: {} is computed from a profile, not measured; the host side is real.", run.device.name));
  if (!r.pytorch)
    return text + comment(
                      "No setting that PyTorch's DataLoader can take was measured. Sweep with --axis "
                      "loader=batch_per_worker.");
  const Candidate& chosen = *r.pytorch;
  const Configuration& c = chosen.configuration;
  text += provenance(run, chosen);
  if (r.best && !pytorch_can(r.best->configuration) && r.best->images_per_s.mean > chosen.images_per_s.mean)
    text +=
        comment(fmt::format("The fastest that feedtune measured here, {} images/s, is not a DataLoader setting: {}.",
                            rate_text(r.best->images_per_s.mean),
                            settings_text(r.best->configuration, {"loader", "num_workers", "decoder", "input_type"})));
  if (r.batch_changed)
    text += comment(
        "If this changes your batch size, the learning rate has to follow (a common start: scale it with the "
        "batch, with warm-up; Goyal et al. 2017).");

  const auto workers = c.integer("num_workers").value_or(0);
  const bool pinned = c.text("host_memory") == "pinned";
  text += "loader_kwargs = dict(\n";
  if (const auto batch = c.integer("batch_size")) text += fmt::format("    batch_size={},\n", *batch);
  text += "    shuffle=True,\n";
  text += fmt::format("    num_workers={},\n    pin_memory={},\n", workers, pinned ? "True" : "False");
  if (workers > 0) {
    if (const auto prefetch = c.integer("prefetch")) text += fmt::format("    prefetch_factor={},\n", *prefetch);
    text += "    persistent_workers=True,\n";
  }
  text += "    drop_last=True,  # feedtune measures whole batches\n)\n";
  text += "# loader = torch.utils.data.DataLoader(dataset, **loader_kwargs)\n";
  return text + hints(c, pinned);
}

}  // namespace feedtune
