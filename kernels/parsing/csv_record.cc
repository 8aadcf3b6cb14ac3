#include "kernels/parsing/csv_record.h"

namespace dfrun {
namespace {

class Reader {
 public:
  Reader(std::string_view record, const CsvFormat& format) : text_(record), format_(format) {}

  Result<std::vector<std::string>> Fields(size_t limit) {
    std::vector<std::string> fields;
    while (at_ < text_.size() && fields.size() < limit) {
      if (IsLineEnd(text_[at_])) {
        ++at_;
        continue;
      }
      std::string& field = fields.emplace_back();
      DF_TRY(format_.quotes && text_[at_] == '"' ? Quoted(field) : Plain(field));
    }
    if (fields.size() < limit && !text_.empty() && text_.back() == format_.delimiter) fields.emplace_back();
    return fields;
  }

 private:
  static bool IsLineEnd(char c) { return c == '\n' || c == '\r'; }

  // Up to the delimiter, which it passes.
  Status Plain(std::string& field) {
    for (; at_ < text_.size() && text_[at_] != format_.delimiter; ++at_) {
      if (IsLineEnd(text_[at_]) || (format_.quotes && text_[at_] == '"')) {
        return InvalidArgument("a field without quotes has a quote or a line end inside");
      }
      field += text_[at_];
    }
    ++at_;
    return Status();
  }

  // Reads a quoted field, from its first quote on, and moves past its last quote and the delimiter.
  Status Quoted(std::string& field) {
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] != '"') {
        field += text_[at_];
        continue;
      }
      const bool is_last = at_ + 1 == text_.size();
      if (is_last || text_[at_ + 1] == format_.delimiter) {
        at_ += 2;
        return Status();
      }
      if (text_[++at_] != '"') return InvalidArgument("a quote inside of quotes must be doubled");
      field += '"';
    }
    return InvalidArgument("a quoted field must end with a quote, and then the delimiter or the end");
  }

  const std::string_view text_;
  const CsvFormat format_;
  size_t at_ = 0;
};

}  // namespace

Result<std::vector<std::string>> CsvFields(std::string_view record, const CsvFormat& format, size_t limit) {
  return Reader(record, format).Fields(limit);
}

}  // namespace dfrun
