#include "sweep/components.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <utility>

#include "sweep/trial_length.hpp"

namespace feedtune {
namespace {

constexpr double shortest_s = 0.15, longest_s = 0.8;
constexpr double budget_share = 0.25;
constexpr std::size_t most_loaders = 6;
/// A trial takes at least ten batches; per image a small one costs the loader the same.
constexpr std::int64_t loader_batch_size = 16;

/// The distinct values of some axes in the space, in its order.
std::vector<Configuration> projected(const SearchSpace& space, std::initializer_list<const char*> axes) {
  std::set<Configuration> seen;
  std::vector<Configuration> found;
  for (const Configuration& configuration : space.configurations) {
    Configuration part;
    for (const char* axis : axes)
      if (const auto value = configuration.values().find(axis); value != configuration.values().end())
        part.set(axis, value->second);
    if (seen.insert(part).second) found.push_back(part);
  }
  return found;
}

/// At most `most` of the space's batch sizes, the smallest and the largest among them.
std::set<std::int64_t> some_batch_sizes(const SearchSpace& space, std::size_t most) {
  std::set<std::int64_t> all;
  for (const Configuration& configuration : space.configurations)
    if (const auto batch = configuration.integer("batch_size")) all.insert(*batch);
  if (all.size() <= most) return all;
  const std::vector<std::int64_t> sizes(all.begin(), all.end());
  std::set<std::int64_t> some;
  for (std::size_t i = 0; i < most; ++i) some.insert(sizes[i * (sizes.size() - 1) / (most - 1)]);
  return some;
}

class Components {
 public:
  Components(const SearchSpace& space, std::size_t most_batch_sizes)
      : space_(space), batch_sizes_(some_batch_sizes(space, most_batch_sizes)) {
    add_loaders();
    for (const Configuration& part : projected(space, {"batch_size", "precision", "model_threads"}))
      if (wanted(part)) add(part, Purpose::step_only);
    if (!space.context.device.copies) return;
    for (const Configuration& part : projected(space, {"batch_size", "host_memory", "pinning", "input_type"}))
      if (wanted(part)) add(part, Purpose::copy_only);
  }
  std::vector<TrialRequest> take() { return std::move(requests_); }

 private:
  void add_loaders() {
    const auto images = space_.context.data_images;
    const auto cpus = std::max<std::int64_t>(1, std::llround(space_.context.effective_cpus));
    std::vector<Configuration> loaders = projected(space_, {"loader", "decoder", "input_type", "resize", "storage"});
    if (loaders.size() > most_loaders) loaders.resize(most_loaders);
    for (Configuration& part : loaders) {
      part.set("batch_size", images > 0 ? std::min(loader_batch_size, images) : loader_batch_size);
      for (const std::int64_t workers : std::set<std::int64_t>{1, cpus}) {
        part.set("num_workers", workers);
        add(part, Purpose::loader_only);
      }
    }
  }
  bool wanted(const Configuration& part) const {
    const auto batch = part.integer("batch_size");
    return !batch || batch_sizes_.contains(*batch);
  }
  void add(const Configuration& part, Purpose purpose) {
    TrialRequest request;
    request.configuration = complete(part, space_, "component").configuration;
    request.purpose = purpose;
    request.stage = "component";
    requests_.push_back(request);
  }

  const SearchSpace& space_;
  std::set<std::int64_t> batch_sizes_;
  std::vector<TrialRequest> requests_;
};

}  // namespace

std::vector<TrialRequest> component_requests(const SearchSpace& space, const Spec& spec) {
  const auto give_time = [&](std::vector<TrialRequest>& requests, double each_s) {
    double all_s = 0;
    for (TrialRequest& request : requests) {
      request.target = {.min_time_s = each_s / 2, .max_time_s = each_s, .relative_half_width = 0.02, .cache = spec.cache};
      request.setup = apply(request.configuration, TrialSetup{});
      all_s += estimated_s(request, space.context);
    }
    return all_s;
  };
  std::size_t most_batch_sizes = 16;
  std::vector<TrialRequest> requests = Components(space, most_batch_sizes).take();
  double all_s = give_time(requests, longest_s);
  if (!spec.budget.seconds) return requests;
  const double share_s = budget_share * *spec.budget.seconds;
  for (double each_s = longest_s; all_s > share_s && each_s > shortest_s;)
    all_s = give_time(requests, each_s = std::max(shortest_s, each_s / 2));
  while (all_s > share_s && most_batch_sizes > 2) {
    requests = Components(space, --most_batch_sizes).take();
    all_s = give_time(requests, shortest_s);
  }
  return requests;
}

}  // namespace feedtune
