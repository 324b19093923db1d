#include <fmt/format.h>

#include "analyze/check.hpp"

namespace feedtune {
namespace {

CheckVerdict judge(const CheckInput& in) {
  const auto kind = in.text("data_storage"), type = in.text("data_filesystem");
  if (!kind || !type) return {CheckStatus::unknown, in.why_unknown("data_storage"), "give --data DIR"};
  if (*kind == "network" || *kind == "fuse")
    return {CheckStatus::warn, fmt::format("the data lies on {} ({})", *type, *kind == "network" ? "a network filesystem" : "a program answers every call"),
            "opening many small files is slow there: copy the data to a local disk, or feedtune pack it into a few large files"};
  if (*kind == "host")
    return {CheckStatus::bad, fmt::format("the data lies on {}, shared by the machine that hosts this one", *type),
            "every open goes through the hypervisor: copy the data into this machine's own filesystem"};
  if (*kind == "overlay")
    return {CheckStatus::warn, fmt::format("the data lies in the container's own layers ({})", *type), "mount it as a volume: lookups in layers cost time"};
  if (in.text("data_rotational") == "yes" && in.text("hypervisor").value_or("none") != "none")
    return {CheckStatus::unknown, fmt::format("the data lies on {} on a virtual disk that calls itself rotating; most of them do, whatever is behind", *type)};
  if (in.text("data_rotational") == "yes")
    return {CheckStatus::warn, fmt::format("the data lies on {} on a rotating disk", *type), "random reads of small files seek: use an SSD, or feedtune pack it"};
  if (*kind == "memory") return {CheckStatus::ok, fmt::format("the data lies in memory ({})", *type)};
  if (*kind == "other") return {CheckStatus::unknown, fmt::format("nothing is known about a filesystem of type {}", *type)};
  return {CheckStatus::ok, fmt::format("the data lies on {}, a local disk{}", *type, in.text("data_rotational") == "no" ? " that does not rotate" : "")};
}

}  // namespace

Check make_data_storage() { return {"data_storage", judge}; }

}  // namespace feedtune
