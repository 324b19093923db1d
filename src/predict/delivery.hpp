#pragma once
// How fast batches come through when loading times vary: max-plus recursions over one stream of batches (METHOD.md 2.3).

#include <cstdint>
#include <span>

namespace feedtune {

/// Workers that load a whole batch each and hand them over in order, a serial stage behind them (the pin thread), and the
/// training thread. Seconds.
struct Delivery {
  std::int64_t workers = 1;   ///< >= 1
  std::int64_t tokens = 2;    ///< batches loaded or loading ahead of the training thread, in total; >= 1
  double load_s = 0;          ///< one worker, one batch, with all workers at it
  double load_cv = 0;         ///< of that from batch to batch
  double serial_s = 0;        ///< of the serial stage, a batch; 0: none
  double consume_s = 0;       ///< the training thread, a batch
};

/// Mean seconds from batch to batch in the long run. With r the time loaded, p pinned, s taken and e done:
/// r[i] = max(r[i-W], s[i-K]) + S[i]; p[i] = max(r[i], p[i-1]) + P; s[i] = max(p[i], e[i-1]); e[i] = s[i] + C. The loading
/// times S are a fixed sequence of normal deviates, never under a fifth of the mean.
double batch_interval_s(const Delivery& delivery);

/// Seconds until the last of the images is done, each taken by the first of `workers` workers that is free.
double makespan_s(std::span<const double> image_s, std::int64_t workers);

/// The same for `images` images of log-normal times with mean `image_s` and coefficient of variation `cv`, a fixed
/// sequence; scaled so that their sum is `images * image_s`.
double makespan_s(std::int64_t images, std::int64_t workers, double image_s, double cv);

}  // namespace feedtune
