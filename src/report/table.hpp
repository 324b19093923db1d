#pragma once
// Tables as text for a terminal or as Markdown.

#include <string>
#include <vector>

namespace feedtune {

enum class Align { left, right };
enum class TableStyle { text, markdown };

struct Column {
  std::string title;
  Align align = Align::left;
};

/// Rows shorter than the columns are filled with empty cells; longer ones are cut.
struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

/// Every line ends with a newline; text lines are indented by `indent` spaces and have no trailing ones. Control
/// characters in cells become spaces. Empty without columns.
std::string render_table(const Table& table, TableStyle style = TableStyle::text, int indent = 0);

/// Columns that a terminal gives a UTF-8 text of one-column characters.
std::size_t text_width(const std::string& text);

}  // namespace feedtune
