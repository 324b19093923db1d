#pragma once
// A trial's request and result <-> one line of JSON.

#include <string>
#include <string_view>

#include "core/trial.hpp"

namespace feedtune {

/// One line. A data path that is not UTF-8 travels unharmed (its bytes in hexadecimal beside it).
std::string encode(const TrialRequest& request);
TrialRequest decode_trial_request(std::string_view text);

/// One line. A number that is not finite becomes absent, with its reason in `unknown`.
std::string encode(const TrialResult& result);
/// Throws InputError naming `where`, the line and the field. Fields of a newer minor version are ignored.
TrialResult decode_trial_result(std::string_view text, const std::string& where);

}  // namespace feedtune
