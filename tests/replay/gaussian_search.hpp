#pragma once
#include "search/strategy.hpp"

namespace feedtune {

/// A baseline to be beaten, as general tuners do it: a Gaussian process over the axes (Matern 5/2; integers as log2, texts
/// one-hot; two length scales and the noise by maximum likelihood), and the largest expected improvement next (Jones et
/// al. 1998). It knows nothing of pipelines. What did not run counts as the slowest so far.
StrategyEntry gaussian_search();

}  // namespace feedtune
