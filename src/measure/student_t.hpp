#pragma once

namespace feedtune {

/// Quantile of Student's t distribution, 0 < probability < 1. df need not be whole; df < 1 counts as 1 and above a
/// million it is the normal distribution. Finite for every probability inside (0, 1).
double student_t_quantile(double probability, double df);

/// P(T <= t).
double student_t_cdf(double t, double df);

}  // namespace feedtune
