#pragma once
// What `feedtune calibrate` and its measuring child say to each other: one message each way.

#include <string>
#include <string_view>

#include "core/device_rates.hpp"

namespace feedtune {

std::string encode_rates_request(const RatesRequest& request);
std::string encode_device_rates(const DeviceRates& rates);
/// Throw InputError for what is no such message.
RatesRequest decode_rates_request(std::string_view text);
DeviceRates decode_device_rates(std::string_view text);

}  // namespace feedtune
