#pragma once
#include "measure/clock.hpp"

namespace feedtune {

/// For how long in all the next batch in order lay finished and not taken. It tells the two reasons of a waiting worker
/// apart: that time is `blocked` (what comes after the workers is slower), the rest of its wait is `starved` (no work
/// was left to take though nothing was finished: too little prefetch, or a straggler). The loader's mutex guards it.
class HeadClock {
 public:
  void set_finished(bool finished, Nanoseconds now) {
    if (finished_) total_ += now - since_;
    finished_ = finished;
    since_ = now;
  }
  Nanoseconds total(Nanoseconds now) const { return finished_ ? total_ + (now - since_) : total_; }

 private:
  bool finished_ = false;
  Nanoseconds since_{0};
  Nanoseconds total_{0};
};

}  // namespace feedtune
