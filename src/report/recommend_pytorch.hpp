#pragma once
#include <string>

#include "core/run.hpp"

namespace feedtune {

/// `feedtune recommend --format pytorch`: valid Python that defines `loader_kwargs`, arguments that
/// torch.utils.data.DataLoader takes, with what has to be known as comments. Made from recommendation.pytorch only, so
/// never from what PyTorch can't do; without one, comments that say so and no `loader_kwargs`.
std::string recommend_pytorch(const Run& run, const Recommendation& recommendation);

}  // namespace feedtune
