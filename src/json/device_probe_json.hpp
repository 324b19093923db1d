#pragma once
// What the child that asks for a device tells its parent: one JSON object.

#include <string>
#include <string_view>

#include "core/facts.hpp"

namespace feedtune {

std::string encode_device_probe(const DeviceProbe& probe);
/// Throws InputError for what is no such object.
DeviceProbe decode_device_probe(std::string_view text);

}  // namespace feedtune
