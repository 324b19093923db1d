// Which configurations the next confirmation block measures: a race that keeps the front (whoever could be the best)
// and brings in the cheap ones, most preferred first, until nothing that is still open could change the answer.

#include <algorithm>
#include <set>

#include "analyze/choice.hpp"
#include "analyze/headline.hpp"
#include "analyze/recommend.hpp"
#include "analyze/roles.hpp"

namespace feedtune {
namespace {

constexpr std::size_t most_for_pytorch = 6;

/// How many race in one block: 12, or what lets the rest of the budget pay for about 5 blocks, as known when
/// confirmation began (so that the size does not change under way).
std::size_t race_size(const Run& run) {
  constexpr double most = 12, least = 3, blocks_wanted = 5;
  double spent_s = 0, search_s = 0, trials = 0, searched = 0;
  for (const TrialResult& t : run.trials) {
    if (t.stage == "anchor" || t.stage == "confirm") continue;
    spent_s += t.cost_s;
    if (t.stage != "component") trials += 1;  // as a budget of trials counts them
    if (!is_of_the_search(t) || t.status != TrialStatus::ok) continue;
    search_s += t.cost_s;
    searched += 1;
  }
  double affordable = most * blocks_wanted;
  if (run.spec.budget.trials) affordable = std::min(affordable, static_cast<double>(*run.spec.budget.trials) - trials);
  if (run.spec.budget.seconds && search_s > 0)
    affordable = std::min(affordable, (*run.spec.budget.seconds - spent_s) * searched / search_s);
  return static_cast<std::size_t>(std::clamp(affordable / blocks_wanted, least, most));
}

class Block {
 public:
  explicit Block(const Measurements& data) : data_(data) {}

  void add(const Measured& m) {
    if (keys_.insert(m.key).second) configurations_.push_back(m.configuration);
  }
  /// Something that may never have been measured: not again once it failed.
  void add_role(const std::optional<Configuration>& c) {
    if (!c || data_.given_up(c->key())) return;
    const Measured* m = data_.find(c->key());
    if (m != nullptr && (m->blocks() >= min_blocks || !m->fits)) return;
    if (keys_.insert(c->key()).second) configurations_.push_back(*c);
  }
  std::size_t size() const { return configurations_.size(); }
  std::vector<Configuration> take() { return std::move(configurations_); }

 private:
  const Measurements& data_;
  std::set<std::string> keys_;
  std::vector<Configuration> configurations_;
};

/// Those not known to be slower: confirmed ones first (their pairs are worth most), then the fastest first.
std::vector<const Measured*> front(const Measurements& data, const Choice& choice) {
  std::vector<const Measured*> found;
  for (const Standing& s : choice.standings)
    if (s.verdict != Verdict::slower) found.push_back(s.measured);
  std::stable_sort(found.begin(), found.end(), [&](const Measured* a, const Measured* b) {
    if (a->confirmed() != b->confirmed()) return a->confirmed();
    return data.estimate(*a) > data.estimate(*b);
  });
  return found;
}

/// The best, the front, and what is open; empty: the race is over.
std::vector<const Measured*> race(const Run& run, const Measurements& data, const Choice& choice,
                                  const RecommendOptions& options) {
  std::vector<const Measured*> open, entered;
  for (const Standing* s : choice.open)
    if (s->measured->blocks() < options.max_blocks) open.push_back(s->measured);
  if (open.empty() && choice.best->measured->blocks() >= min_blocks) return {};
  const auto enter = [&entered](const Measured* m, std::size_t most) {
    if (entered.size() < most && std::find(entered.begin(), entered.end(), m) == entered.end()) entered.push_back(m);
  };
  const std::size_t most = race_size(run);
  const auto leading = front(data, choice);
  enter(choice.best->measured, most);
  for (const Measured* m : leading) enter(m, (most + 1) / 2);
  for (const Measured* m : open) enter(m, most);
  for (const Measured* m : leading)
    if (m->confirmed()) enter(m, most);
  return entered;
}

/// PyTorch's best is always confirmed, though not raced to the end: its front two and the two most preferred.
std::vector<const Measured*> race_pytorch(const Measurements& data, const Choice& choice) {
  if (choice.best == nullptr || choice.decided()) return {};
  const auto confirmed = std::count_if(choice.standings.begin(), choice.standings.end(),
                                       [](const Standing& s) { return s.measured->blocks() >= min_blocks; });
  if (confirmed >= static_cast<std::ptrdiff_t>(most_for_pytorch)) return {};
  std::vector<const Measured*> wanted = {choice.best->measured, choice.recommended->measured};
  const auto leading = front(data, choice);
  wanted.insert(wanted.end(), leading.begin(), leading.begin() + std::min<std::ptrdiff_t>(std::ssize(leading), 2));
  for (std::size_t i = 0; i < choice.open.size() && i < 2; ++i) wanted.push_back(choice.open[i]->measured);
  std::erase_if(wanted, [](const Measured* m) { return m->blocks() >= min_blocks; });
  return wanted;
}

int common_blocks(const Measured& a, const Measured& b) {
  return static_cast<int>(std::count_if(a.confirm_log.begin(), a.confirm_log.end(),
                                        [&](const auto& entry) { return b.confirm_log.contains(entry.first); }));
}

}  // namespace

std::vector<Configuration> next_to_confirm(const Run& run, const RecommendOptions& options) {
  const Measurements data = gather(run);
  const Headline headline = find_headline(run, data);
  const Choice choice = choose(data, options, headline.members);
  if (choice.best == nullptr) return {};

  const Measured& recommended = *choice.recommended->measured;
  const auto baseline = find_baseline(run, recommended.batch_size);
  const auto current = find_current(run, recommended.batch_size);
  const Choice pytorch =
      choose(data, options, [&](const Measured& m) { return headline.members(m) && pytorch_can(m.configuration); });
  const std::vector<const Measured*> raced = race(run, data, choice, options);
  const std::vector<const Measured*> for_pytorch = race_pytorch(data, pytorch);

  Block block(data);  // the most wanted first: a short budget cuts the end off
  if (!raced.empty()) block.add(*raced.front());
  block.add_role(baseline);
  block.add_role(current);
  if (!for_pytorch.empty()) block.add(*for_pytorch.front());
  for (const Measured* m : raced) block.add(*m);
  for (const Measured* m : for_pytorch) block.add(*m);
  if (headline.batch_size) {  // what a larger batch would add
    const Choice anywhere = choose(data, options, [](const Measured&) { return true; });
    for (const Standing* s : {anywhere.best, anywhere.recommended})
      if (s->measured->blocks() < min_blocks) block.add(*s->measured);
  }
  if (block.size() > 0) return block.take();

  // Gains are paired: the two sides need blocks in common.
  for (const auto& role :
       {baseline, current,
        pytorch.recommended ? std::optional(pytorch.recommended->measured->configuration) : std::nullopt}) {
    const Measured* other = role ? data.find(role->key()) : nullptr;
    if (other == nullptr || other == &recommended || !other->usable()) continue;
    if (common_blocks(recommended, *other) >= min_blocks) continue;
    block.add(recommended);
    block.add(*other);
  }
  return block.take();
}

}  // namespace feedtune
