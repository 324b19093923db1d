#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace feedtune {

struct CsvRecord {
  int line = 0;  ///< on which it begins, from 1
  std::vector<std::string> fields;
};

/// What a hostile file can make one record hold.
inline constexpr std::size_t longest_csv_record = 1'000'000;

/// Comma-separated values as RFC 4180 has them, in UTF-8: fields in double quotes may hold commas, line breaks and doubled
/// quotes; lines end with LF or CRLF. A byte order mark and empty lines are skipped. Records may differ in length.
/// Throws InputError at "where:line".
std::vector<CsvRecord> parse_csv(std::string_view text, const std::string& where);

}  // namespace feedtune
