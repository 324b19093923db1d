#include "report/table.hpp"

#include <algorithm>

#include "report/format.hpp"

namespace feedtune {
namespace {

std::string cell_text(const std::string& text, TableStyle style) {
  const std::string line = single_line(text);
  if (style == TableStyle::text) return line;
  std::string escaped;
  for (char c : line) {
    if (c == '|' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string padded(const std::string& text, std::size_t width, Align align) {
  const std::string space(width - std::min(width, text_width(text)), ' ');
  return align == Align::left ? text + space : space + text;
}

std::string text_line(const std::vector<std::string>& cells, const Table& table, const std::vector<std::size_t>& widths,
                      int indent) {
  std::string line(static_cast<std::size_t>(indent), ' ');
  for (std::size_t i = 0; i < cells.size(); ++i)
    line += (i == 0 ? "" : "  ") + padded(cells[i], widths[i], table.columns[i].align);
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string markdown_line(const std::vector<std::string>& cells) {
  std::string line = "|";
  for (const std::string& cell : cells) line += " " + cell + " |";
  return line + "\n";
}

}  // namespace

std::size_t text_width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string render_table(const Table& table, TableStyle style, int indent) {
  if (table.columns.empty()) return "";
  std::vector<std::vector<std::string>> lines(1);
  for (const Column& column : table.columns) lines[0].push_back(cell_text(column.title, style));
  for (const auto& row : table.rows) {
    auto& line = lines.emplace_back();
    for (std::size_t i = 0; i < table.columns.size(); ++i)
      line.push_back(i < row.size() ? cell_text(row[i], style) : "");
  }
  std::vector<std::size_t> widths(table.columns.size(), 0);
  for (const auto& line : lines)
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], text_width(line[i]));

  std::string out;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    out += style == TableStyle::text ? text_line(lines[i], table, widths, indent) : markdown_line(lines[i]);
    if (i > 0 || style == TableStyle::text) continue;
    std::vector<std::string> rule;
    for (const Column& column : table.columns) rule.push_back(column.align == Align::left ? "---" : "---:");
    out += markdown_line(rule);
  }
  return out;
}

}  // namespace feedtune
