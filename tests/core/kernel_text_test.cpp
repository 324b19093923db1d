#include "core/kernel_text.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

using namespace feedtune;

TEST(CpuList, IsReadAsTheKernelWritesIt) {
  EXPECT_EQ(parse_cpu_list("0-2,7\n"), (std::set<int>{0, 1, 2, 7}));
  EXPECT_EQ(parse_cpu_list("5"), std::set<int>{5});
  for (const char* bad : {"", "\n", "-1", "3-1", "a", "all", "1,", "1,,2", ",1", "1-", "0-99999999999"})
    EXPECT_EQ(parse_cpu_list(bad), std::nullopt) << bad;
}

TEST(KibLine, GivesBytesOfTheWholeKeyAlone) {
  const std::string meminfo = "MemTotal:       32768 kB\nMemAvailable:   16384 kB\nHugePages_Total:       7\nNoValue\nOdd: x kB\n";
  EXPECT_EQ(kib_line_bytes(meminfo, "MemTotal"), 32768 * 1024);
  EXPECT_EQ(kib_line_bytes(meminfo, "MemAvailable"), 16384 * 1024);
  for (const char* missing : {"Available", "Mem", "HugePages_Total", "NoValue", "Odd", ""}) EXPECT_EQ(kib_line_bytes(meminfo, missing), std::nullopt) << missing;
  EXPECT_EQ(kib_line_bytes("", "MemTotal"), std::nullopt);
}

TEST(KibLine, ReadsThisMachine) {
  std::ifstream file("/proc/meminfo");
  if (!file) GTEST_SKIP() << "no /proc/meminfo here";
  const std::string text(std::istreambuf_iterator<char>(file), {});
  EXPECT_GT(kib_line_bytes(text, "MemAvailable").value_or(0), 1 << 20);
}
