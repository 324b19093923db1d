#include "report/doctor_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace feedtune;

TEST(DoctorText, EachCheckIsAParagraphWithWhatToDo) {
  DoctorReport report;
  report.machine.cpus = {.effective = 2.5, .limited_by = "cgroup v2 /", .online = 8, .affinity = 8, .quota = 2.5};
  report.machine.facts["cpu_model"] = {.value = AxisValue(std::string("Some CPU")), .source = "x", .reason = ""};
  report.machine.facts["memory_bytes"] = {.value = AxisValue(std::int64_t{16'000'000'000}), .source = "x", .reason = ""};
  report.setting.num_workers = 2;
  report.checks = {{"shared_memory", CheckStatus::bad, "64 MB free", "give more"}, {"swap", CheckStatus::ok, "no\x1b[31m swap", ""}};
  EXPECT_EQ(doctor_text(report),
            "Some CPU, 2.5 of 8 CPUs, 16.0 GB memory\n"
            "judged for num_workers 2, prefetch 2, batch_size 64 of 224 x 224 pixels with 4 bytes a value\n"
            "  (--current changes it)\n"
            "\n"
            "bad      shared_memory  64 MB free\n"
            "                        -> give more\n"
            "ok       swap           no [31m swap\n"
            "\n"
            "1 bad, 0 to look at, 0 unknown, 1 ok. Nothing was measured: feedtune sweep does.\n");
}
