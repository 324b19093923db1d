// The only file of measure/ that includes Boost.Math: it takes seconds to compile.
#include "measure/student_t.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>

namespace feedtune {
namespace {

boost::math::students_t distribution(double df) { return boost::math::students_t(std::clamp(df, 1.0, 1e6)); }

}  // namespace

double student_t_quantile(double probability, double df) {
  return boost::math::quantile(distribution(df), std::clamp(probability, 1e-9, 1 - 1e-9));
}

double student_t_cdf(double t, double df) { return boost::math::cdf(distribution(df), t); }

}  // namespace feedtune
