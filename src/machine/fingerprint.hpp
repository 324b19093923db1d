#pragma once
#include "core/facts.hpp"
#include "machine/root.hpp"

namespace feedtune {

/// Adds three facts to `machine`:
///   machine_id      equal for runs on one machine. HMAC-SHA-256 of a constant of this project, keyed with /etc/machine-id, as
///                   systemd's sd_id128_get_machine_app_specific does it: who reads a result can't get back to the machine's
///                   own id, and can't join our results with what other programs derived from that id. It does not hide that two
///                   results come from one machine: that is what it is for. Copies of one disk image share it.
///   hardware_hash   equal where processor, memory size and GPU are: results can be compared as they are
///   software_hash   equal where kernel, settings of the system, driver, libraries and this program are: the same experiment
/// The hashes leave out what only root can read and what changes by itself, so that one machine has one of each.
void add_fingerprint(MachineFacts& machine, const DeviceFacts& device, const ToolFacts& tool, const Root& root = Root());

}  // namespace feedtune
