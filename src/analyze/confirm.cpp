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

constexpr std::size_t most_in_a_block = 12;
constexpr std::size_t front_size = 6;
constexpr std::size_t most_for_pytorch = 6;

class Block {
 public:
  explicit Block(const Measurements& data) : data_(data) {}

  void add(const Measured& m) {
    if (keys_.insert(m.key).second) configurations_.push_back(m.configuration);
  }
  /// Something that may never have been measured: not again once it failed.
  void add_role(const std::optional<Configuration>& c) {
    if (!c || data_.failures.contains(c->key())) return;
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

void race(const Measurements& data, const Choice& choice, const RecommendOptions& options, Block& block) {
  std::vector<const Measured*> open;
  for (const Standing* s : choice.open)
    if (s->measured->blocks() < options.max_blocks) open.push_back(s->measured);
  if (open.empty() && choice.best->measured->blocks() >= min_blocks) return;
  block.add(*choice.best->measured);
  const auto leading = front(data, choice);
  for (std::size_t i = 0; i < leading.size() && block.size() < front_size; ++i) block.add(*leading[i]);
  for (std::size_t i = 0; i < open.size() && block.size() < most_in_a_block; ++i) block.add(*open[i]);
  for (std::size_t i = 0; i < leading.size() && block.size() < most_in_a_block; ++i)
    if (leading[i]->confirmed()) block.add(*leading[i]);
}

/// PyTorch's best is always confirmed, though not raced to the end: its front two and the two most preferred.
void race_pytorch(const Measurements& data, const Choice& choice, Block& block) {
  if (choice.best == nullptr) return;
  const auto confirmed = std::count_if(choice.standings.begin(), choice.standings.end(),
                                       [](const Standing& s) { return s.measured->blocks() >= min_blocks; });
  if (choice.decided() || confirmed >= static_cast<std::ptrdiff_t>(most_for_pytorch)) return;
  std::vector<const Measured*> wanted = front(data, choice);
  wanted.resize(std::min<std::size_t>(wanted.size(), 2));
  for (std::size_t i = 0; i < choice.open.size() && i < 2; ++i) wanted.push_back(choice.open[i]->measured);
  wanted.push_back(choice.best->measured);
  for (const Measured* m : wanted)
    if (m->blocks() < min_blocks) block.add(*m);
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

  Block block(data);
  race(data, choice, options, block);
  const bool race_over = block.size() == 0;
  const Choice pytorch =
      choose(data, options, [&](const Measured& m) { return headline.members(m) && pytorch_can(m.configuration); });
  race_pytorch(data, pytorch, block);
  if (headline.batch_size) {  // what a larger batch would add
    const Choice anywhere = choose(data, options, [](const Measured&) { return true; });
    for (const Standing* s : {anywhere.best, anywhere.recommended})
      if (s->measured->blocks() < min_blocks) block.add(*s->measured);
  }
  const Measured& recommended = *choice.recommended->measured;
  const auto baseline = find_baseline(run, recommended.batch_size);
  const auto current = find_current(run);
  block.add_role(baseline);
  block.add_role(current);
  if (!race_over || block.size() > 0) return block.take();

  // Gains are paired: the two sides need blocks in common.
  for (const auto& role : {baseline, current, pytorch.recommended ? std::optional(pytorch.recommended->measured->configuration)
                                                                  : std::nullopt}) {
    const Measured* other = role ? data.find(role->key()) : nullptr;
    if (other == nullptr || other == &recommended || !other->usable()) continue;
    if (common_blocks(recommended, *other) >= min_blocks) continue;
    block.add(recommended);
    block.add(*other);
  }
  return block.take();
}

}  // namespace feedtune
