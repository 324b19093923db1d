#pragma once
// What happens before what, by vector clocks: one count for each stream and one for the host. Finds the event that is missing
// between two streams (or a stream and the host) that use the same memory.

#include <algorithm>
#include <cstdint>
#include <map>

namespace fake_cuda {

using Actor = std::int64_t;  ///< 0: the host; else a stream's number
constexpr Actor host_actor = 0;

class Moment {
 public:
  void advance(Actor actor) { ++counts_[actor]; }
  void merge(const Moment& other) {
    for (const auto& [actor, count] : other.counts_) counts_[actor] = std::max(counts_[actor], count);
  }
  std::int64_t of(Actor actor) const {
    const auto found = counts_.find(actor);
    return found == counts_.end() ? 0 : found->second;
  }

 private:
  std::map<Actor, std::int64_t> counts_;
};

/// The last uses of one piece of memory by each actor.
class Uses {
 public:
  /// True where some earlier use by another actor doesn't come before `now`, the moment of this use by `actor`. Two reads never clash.
  bool clash(Actor actor, const Moment& now, bool write) const {
    const auto later = [&](const std::map<Actor, std::int64_t>& uses) {
      for (const auto& [other, count] : uses)
        if (other != actor && now.of(other) < count) return true;
      return false;
    };
    return later(writes_) || (write && later(reads_));
  }
  void add(Actor actor, const Moment& now, bool write) { (write ? writes_ : reads_)[actor] = now.of(actor); }

 private:
  std::map<Actor, std::int64_t> reads_, writes_;
};

}  // namespace fake_cuda
