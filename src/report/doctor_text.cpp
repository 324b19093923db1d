#include "report/doctor_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/enums.hpp"
#include "report/format.hpp"

namespace feedtune {
namespace {

std::string machine_text(const MachineFacts& machine) {
  const auto shown = [&](const char* name) {
    const auto found = machine.facts.find(name);
    return found != machine.facts.end() && found->second.value ? to_text(*found->second.value) : "";
  };
  const auto memory = machine.facts.find("memory_bytes");
  const auto* bytes = memory != machine.facts.end() && memory->second.value ? std::get_if<std::int64_t>(&*memory->second.value) : nullptr;
  const std::string model = shown("cpu_model");
  return fmt::format("{}, {:.3g} of {} CPUs, {} memory", model.empty() ? "an unnamed processor" : model, machine.cpus.effective, machine.cpus.online,
                     bytes == nullptr ? "unknown" : bytes_text(static_cast<double>(*bytes)));
}

std::string setting_text(const DoctorSetting& setting) {
  return fmt::format("judged for num_workers {}, prefetch {}, batch_size {} of {} x {} pixels with {} (--current changes it)", setting.num_workers,
                     setting.prefetch, setting.batch_size, setting.image_size, setting.image_size, counted(setting.bytes_per_value, "byte") + " a value");
}

}  // namespace

std::string doctor_text(const DoctorReport& report) {
  std::string lines = wrapped(single_line(machine_text(report.machine)), 0, 2) + wrapped(setting_text(report.setting), 0, 2) + '\n';
  std::size_t widest = 0;
  for (const CheckFinding& finding : report.checks) widest = std::max(widest, finding.name.size());
  std::map<CheckStatus, int> counts;
  for (const CheckFinding& finding : report.checks) {
    ++counts[finding.status];
    const std::string head = fmt::format("{:<8} {:<{}}  ", to_text(finding.status), finding.name, widest);
    lines += head + wrapped(single_line(finding.evidence), head.size(), head.size());
    if (!finding.advice.empty()) lines += std::string(head.size(), ' ') + wrapped("-> " + single_line(finding.advice), head.size(), head.size() + 3);
  }
  return lines + '\n' +
         wrapped(fmt::format("{} bad, {} to look at, {} unknown, {} ok. Nothing was measured: feedtune sweep does.", counts[CheckStatus::bad],
                             counts[CheckStatus::warn], counts[CheckStatus::unknown], counts[CheckStatus::ok]),
                 0, 2);
}

}  // namespace feedtune
