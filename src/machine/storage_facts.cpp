#include "machine/facts.hpp"
#include "machine/filesystem_kind.hpp"
#include "machine/mounts.hpp"

namespace feedtune {
namespace {

constexpr const char* storage_facts[] = {"data_filesystem", "data_storage", "data_device_model", "data_rotational", "data_read_ahead_bytes"};

/// A file of the disk that a block device ("8:1") lies on: a partition's own folder is inside the disk's.
std::optional<std::string> disk_line(const Root& root, const std::string& device, const std::string& file) {
  const std::string folder = "/sys/dev/block/" + device + "/";
  auto line = root.read_line(folder + file);
  return line ? line : root.read_line(folder + "../" + file);
}

void add_disk(const Root& root, const std::string& device, FactMap& facts) {
  const std::string source = "/sys/dev/block/" + device;
  const std::string reason = root.exists(source) ? "the device does not say" : "its filesystem has no block device of its own";
  facts["data_device_model"] = text_fact(disk_line(root, device, "device/model"), source, reason);
  const auto rotational = disk_line(root, device, "queue/rotational");
  const bool sound = rotational == "0" || rotational == "1";
  facts["data_rotational"] = sound ? known(std::string(rotational == "1" ? "yes" : "no"), source) : unknown_fact(source, reason);
  const auto read_ahead = disk_line(root, device, "queue/read_ahead_kb");
  const auto kib = read_ahead ? parse_integer(*read_ahead) : std::nullopt;
  const bool possible = kib && *kib >= 0 && *kib < (std::int64_t{1} << 40);
  facts["data_read_ahead_bytes"] = integer_fact(possible ? std::optional(*kib * 1024) : std::nullopt, source, reason);
}

}  // namespace

void add_storage_facts(const Root& root, const std::string& data_path, FactMap& facts) {
  const std::string source = "/proc/self/mountinfo";
  const auto mount = data_path.empty() ? std::nullopt : mount_of(read_mounts(root), data_path);
  if (!mount) {
    const auto unknown = unknown_fact(source, data_path.empty() ? "no data folder was given" : "no mount holds the data folder");
    for (const char* name : storage_facts) facts[name] = unknown;
    return;
  }
  facts["data_filesystem"] = text_fact(mount->type, source, "");
  facts["data_storage"] = known(std::string(filesystem_kind(mount->type)), source);
  add_disk(root, mount->device, facts);
}

}  // namespace feedtune
