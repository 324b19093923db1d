#include "replay/csv.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "core/utf8.hpp"

namespace feedtune {
namespace {

class CsvParser {
 public:
  CsvParser(std::string_view text, const std::string& where) : text_(text), where_(where) {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
  }

  std::vector<CsvRecord> records() {
    std::vector<CsvRecord> found;
    while (at_ < text_.size())
      if (!take_line_break()) found.push_back(record());
    return found;
  }

 private:
  [[noreturn]] void fail(int line, const std::string& what) const { throw InputError(fmt::format("{}:{}", where_, line), what); }

  bool take_line_break() {
    if (text_.substr(at_).starts_with("\r\n")) at_ += 2;
    else if (text_[at_] == '\n') at_ += 1;
    else return false;
    ++line_;
    return true;
  }

  CsvRecord record() {
    CsvRecord record{.line = line_, .fields = {}};
    begin_ = at_;
    record_line_ = line_;
    for (;;) {
      record.fields.push_back(at_ < text_.size() && text_[at_] == '"' ? quoted() : plain());
      if (!is_utf8(record.fields.back())) fail(record.line, "is not UTF-8");
      if (at_ == text_.size() || take_line_break()) return record;
      ++at_;  // the comma
    }
  }

  void limit_length() const {
    if (at_ - begin_ > longest_csv_record) fail(record_line_, fmt::format("a record of more than {} bytes", longest_csv_record));
  }

  bool ends_field() const { return at_ == text_.size() || text_[at_] == ',' || text_[at_] == '\n' || text_.substr(at_).starts_with("\r\n"); }

  std::string plain() {
    const std::size_t begin = at_;
    for (; !ends_field(); ++at_) {
      limit_length();
      if (text_[at_] == '"') fail(line_, "a double quote inside a field that does not begin with one");
      if (text_[at_] == '\r' || text_[at_] == '\0') fail(line_, "a control character (want lines that end with LF or CRLF)");
    }
    return std::string(text_.substr(begin, at_ - begin));
  }

  std::string quoted() {
    const int opened = line_;
    std::string field;
    for (++at_; at_ < text_.size(); ++at_) {
      limit_length();
      const char c = text_[at_];
      if (c == '\n') ++line_;
      if (c == '\0') fail(line_, "a control character (want text)");
      if (c != '"') {
        field += c;
        continue;
      }
      ++at_;
      if (ends_field()) return field;
      if (text_[at_] != '"') fail(line_, "text behind a closing double quote (one inside a field is written twice)");
      field += '"';
    }
    fail(opened, "a double quote that is not closed");
  }

  std::string_view text_;
  const std::string& where_;
  std::size_t at_ = 0;
  std::size_t begin_ = 0;  ///< of the record
  int line_ = 1;
  int record_line_ = 1;
};

}  // namespace

std::vector<CsvRecord> parse_csv(std::string_view text, const std::string& where) { return CsvParser(text, where).records(); }

}  // namespace feedtune
