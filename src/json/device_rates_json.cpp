#include "json/device_rates_json.hpp"

#include "json/rates_fields.hpp"

namespace feedtune {
namespace {

template <class T>
T decoded(std::string_view text, const char* where) {
  const JsonValue json = parse_json(text, where);
  const Place place(where, false);
  T value;
  read_value(json, place, value);
  return value;
}

}  // namespace

std::string encode_rates_request(const RatesRequest& request) { return compact_text(write_value(request)); }
std::string encode_device_rates(const DeviceRates& rates) { return compact_text(write_value(rates)); }
RatesRequest decode_rates_request(std::string_view text) { return decoded<RatesRequest>(text, "rates request"); }
DeviceRates decode_device_rates(std::string_view text) { return decoded<DeviceRates>(text, "device rates"); }

}  // namespace feedtune
