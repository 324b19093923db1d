#include "core/gpu_check.hpp"

namespace feedtune {
namespace {

using Name = std::pair<PartStatus, std::string_view>;

constexpr Name part_status[] = {
    {PartStatus::ok, "ok"}, {PartStatus::failed, "failed"}, {PartStatus::timeout, "timeout"}, {PartStatus::skipped, "skipped"}};

}  // namespace

template <> std::span<const Name> enum_names() { return part_status; }

}  // namespace feedtune
