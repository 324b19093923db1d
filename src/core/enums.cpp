#include "core/enums.hpp"

#include "core/trial_status.hpp"

namespace feedtune {
namespace {

template <class E>
using Names = std::pair<E, std::string_view>;

constexpr Names<HostMemory> host_memory[] = {{HostMemory::pageable, "pageable"}, {HostMemory::pinned, "pinned"}};
constexpr Names<Pinning> pinning[] = {{Pinning::alloc, "alloc"}, {Pinning::registered, "register"}};
constexpr Names<LoaderKind> loader[] = {{LoaderKind::batch_per_worker, "batch_per_worker"},
                                        {LoaderKind::pooled, "pooled"},
                                        {LoaderKind::external, "external"}};
constexpr Names<InputType> input_type[] = {
    {InputType::uint8, "uint8"}, {InputType::float32, "float32"}, {InputType::float16, "float16"}};
constexpr Names<Resize> resize[] = {{Resize::antialias, "antialias"}, {Resize::linear, "linear"}};
constexpr Names<Transfer> transfer[] = {{Transfer::blocking, "blocking"}, {Transfer::overlapped, "overlapped"}};
constexpr Names<Sync> sync[] = {{Sync::none, "none"}, {Sync::each, "each"}};
constexpr Names<Precision> precision[] = {
    {Precision::fp32, "fp32"}, {Precision::tf32, "tf32"}, {Precision::bf16, "bf16"}, {Precision::fp16, "fp16"}};
constexpr Names<Storage> storage[] = {{Storage::files, "files"}, {Storage::memory, "memory"}, {Storage::packed, "packed"}};
constexpr Names<Affinity> affinity[] = {{Affinity::none, "none"}, {Affinity::cores, "cores"}, {Affinity::node, "node"}};
constexpr Names<Purpose> purpose[] = {{Purpose::trial, "trial"},
                                      {Purpose::loader_only, "loader_only"},
                                      {Purpose::copy_only, "copy_only"},
                                      {Purpose::step_only, "step_only"}};
constexpr Names<CachePolicy> cache[] = {
    {CachePolicy::warm, "warm"}, {CachePolicy::cold, "cold"}, {CachePolicy::as_is, "as-is"}};
constexpr Names<TrialStatus> status[] = {{TrialStatus::ok, "ok"},
                                         {TrialStatus::out_of_memory, "out_of_memory"},
                                         {TrialStatus::timeout, "timeout"},
                                         {TrialStatus::crashed, "crashed"},
                                         {TrialStatus::invalid, "invalid"},
                                         {TrialStatus::unsupported, "unsupported"},
                                         {TrialStatus::too_short, "too_short"},
                                         {TrialStatus::no_steady_state, "no_steady_state"}};
constexpr Names<MemoryKind> memory_kind[] = {
    {MemoryKind::device, "device"}, {MemoryKind::host, "host"}, {MemoryKind::pinned, "pinned"}};

}  // namespace

template <> std::span<const Names<HostMemory>> enum_names() { return host_memory; }
template <> std::span<const Names<Pinning>> enum_names() { return pinning; }
template <> std::span<const Names<LoaderKind>> enum_names() { return loader; }
template <> std::span<const Names<InputType>> enum_names() { return input_type; }
template <> std::span<const Names<Resize>> enum_names() { return resize; }
template <> std::span<const Names<Transfer>> enum_names() { return transfer; }
template <> std::span<const Names<Sync>> enum_names() { return sync; }
template <> std::span<const Names<Precision>> enum_names() { return precision; }
template <> std::span<const Names<Storage>> enum_names() { return storage; }
template <> std::span<const Names<Affinity>> enum_names() { return affinity; }
template <> std::span<const Names<Purpose>> enum_names() { return purpose; }
template <> std::span<const Names<CachePolicy>> enum_names() { return cache; }
template <> std::span<const Names<TrialStatus>> enum_names() { return status; }
template <> std::span<const Names<MemoryKind>> enum_names() { return memory_kind; }

bool is_failure(TrialStatus value) {
  return value == TrialStatus::crashed || value == TrialStatus::timeout || value == TrialStatus::invalid;
}

}  // namespace feedtune
