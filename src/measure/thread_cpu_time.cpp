#include "measure/thread_cpu_time.hpp"

#include <time.h>

namespace feedtune {

Nanoseconds thread_cpu_time() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return std::chrono::seconds(time.tv_sec) + Nanoseconds{time.tv_nsec};
}

}  // namespace feedtune
