#pragma once
// The closed sets of a trial's set-up and their names in configurations, JSON and output. What can be extended
// (decoders, axes, strategies, rules, devices, models) is named by a string instead.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace feedtune {

enum class HostMemory { pageable, pinned };
/// How batch buffers become pinned: allocated so, or ordinary memory that is registered with the device.
enum class Pinning { alloc, registered };
enum class LoaderKind { batch_per_worker, pooled, external };
enum class InputType { uint8, float32, float16 };
enum class Resize { antialias, linear };
enum class Transfer { blocking, overlapped };
enum class Sync { none, each };
enum class Precision { fp32, tf32, bf16, fp16 };
enum class Storage { files, memory, packed };
enum class Affinity { none, cores, node };
/// What a trial runs: the whole thing, or one component alone (a ceiling).
enum class Purpose { trial, loader_only, copy_only, step_only };
/// State of the page cache that a trial starts from.
enum class CachePolicy { warm, cold, as_is };

/// Specialised for each enum above: its values with their names, in declaration order.
template <class E>
std::span<const std::pair<E, std::string_view>> enum_names();

template <class E>
std::string_view to_text(E value) {
  for (const auto& [candidate, name] : enum_names<E>())
    if (candidate == value) return name;
  return "?";
}

template <class E>
std::optional<E> enum_from_text(std::string_view text) {
  for (const auto& [candidate, name] : enum_names<E>())
    if (name == text) return candidate;
  return std::nullopt;
}

/// "pageable, pinned": for error messages.
template <class E>
std::string accepted_names() {
  std::string names;
  for (const auto& entry : enum_names<E>()) names.append(names.empty() ? "" : ", ").append(entry.second);
  return names;
}

/// Bytes of one channel of one pixel as it is shipped to the device.
constexpr std::size_t bytes_per_value(InputType type) {
  return type == InputType::uint8 ? 1 : type == InputType::float16 ? 2 : 4;
}

}  // namespace feedtune
