#include "sweep/components.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>

namespace feedtune {
namespace {

constexpr double shortest_s = 0.15, longest_s = 0.8, start_up_s = 0.3;
constexpr double budget_share = 0.25;
constexpr std::size_t most_loaders = 6;

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
    for (const Configuration& part : projected(space, {"batch_size", "host_memory", "input_type"}))
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
      part.set("batch_size", images > 0 ? std::min<std::int64_t>(64, images) : 64);
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
  std::size_t most_batch_sizes = 16;
  std::vector<TrialRequest> requests = Components(space, most_batch_sizes).take();
  double each_s = longest_s;
  if (spec.budget.seconds) {
    const double share_s = budget_share * *spec.budget.seconds;
    while (most_batch_sizes > 2 && static_cast<double>(requests.size()) * (start_up_s + shortest_s) > share_s)
      requests = Components(space, --most_batch_sizes).take();
    if (!requests.empty())
      each_s = std::clamp(share_s / static_cast<double>(requests.size()) - start_up_s, shortest_s, longest_s);
  }
  for (TrialRequest& request : requests)
    request.target = {.min_time_s = each_s / 2, .max_time_s = each_s, .relative_half_width = 0.02, .cache = spec.cache};
  return requests;
}

}  // namespace feedtune
