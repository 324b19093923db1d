#pragma once
// Splits a kernel's rows over the device's threads and runs them with the widest vectors that the CPU has.

#include <omp.h>

#include <algorithm>
#include <cstdint>

namespace feedtune::cpu {

/// Marks a kernel's body and its helpers: inlined into each of the two versions below, it is compiled for both.
#define FEEDTUNE_INLINE __attribute__((always_inline))

/// OpenMP's number of threads for this thread's next regions (oneDNN's included), restored afterwards.
class ThreadScope {
 public:
  explicit ThreadScope(int threads) : before_(omp_get_max_threads()) { omp_set_num_threads(threads); }
  ~ThreadScope() { omp_set_num_threads(before_); }
  ThreadScope(const ThreadScope&) = delete;
  ThreadScope& operator=(const ThreadScope&) = delete;

 private:
  int before_;
};

#if defined(__x86_64__)
inline bool has_wide_vectors() {
  static const bool has = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  return has;
}
template <class Body>
__attribute__((target("avx2,fma"))) void run_wide(const Body& body, std::int64_t begin, std::int64_t end, int part) {
  body(begin, end, part);
}
#else
inline bool has_wide_vectors() { return false; }
template <class Body>
void run_wide(const Body& body, std::int64_t begin, std::int64_t end, int part) {
  body(begin, end, part);
}
#endif

template <class Body>
void run_part(const Body& body, std::int64_t begin, std::int64_t end, int part) {
  if (has_wide_vectors())
    run_wide(body, begin, end, part);
  else
    body(begin, end, part);
}

/// How many parts parallel_rows() makes: fewer than `threads` when there is too little to do.
inline int parts_of(std::int64_t rows, std::int64_t values_per_row, int threads) {
  constexpr std::int64_t least_values_per_part = 4096;  // below that, waking a thread costs more than it brings
  const std::int64_t worthwhile = std::max<std::int64_t>(1, rows * values_per_row / least_values_per_part);
  return static_cast<int>(std::min({static_cast<std::int64_t>(threads), worthwhile, std::max<std::int64_t>(1, rows)}));
}

/// Calls body(begin, end, part) for `parts` consecutive ranges of [0, rows), each on its own thread.
template <class Body>
void parallel_rows(std::int64_t rows, int parts, const Body& body) {
  if (parts == 1) return run_part(body, 0, rows, 0);
#pragma omp parallel for num_threads(parts) schedule(static, 1)
  for (int part = 0; part < parts; ++part) run_part(body, rows * part / parts, rows * (part + 1) / parts, part);
}

}  // namespace feedtune::cpu
