#pragma once

namespace feedtune {

/// What `threads` threads reach together in fp32 multiply-adds on registers alone, two operations each, with the widest
/// vectors that the CPU has: the best of several runs of some 20 ms, taken at the first call for that many threads.
double fma_peak_flops(int threads);

}  // namespace feedtune
