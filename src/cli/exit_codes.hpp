#pragma once

namespace feedtune::exit_code {

inline constexpr int ok = 0;
inline constexpr int gate_failed = 1;
inline constexpr int usage = 2;
inline constexpr int bad_input = 3;
inline constexpr int run_in_use = 4;
inline constexpr int io = 5;
inline constexpr int device_unavailable = 6;
inline constexpr int finished_with_failures = 7;
inline constexpr int signal_base = 128;  ///< plus the signal's number

}  // namespace feedtune::exit_code
