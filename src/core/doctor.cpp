#include "core/doctor.hpp"

#include "core/enums.hpp"

namespace feedtune {
namespace {

using Name = std::pair<CheckStatus, std::string_view>;

constexpr Name check_status[] = {
    {CheckStatus::ok, "ok"}, {CheckStatus::warn, "warn"}, {CheckStatus::bad, "bad"}, {CheckStatus::unknown, "unknown"}};

}  // namespace

template <> std::span<const Name> enum_names() { return check_status; }

}  // namespace feedtune
