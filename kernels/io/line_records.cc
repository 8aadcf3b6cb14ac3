#include "kernels/io/record_format.h"

namespace dfrun {
namespace {

// A line end that is no part of a record.
class PlainEnds {
 public:
  // Its index in `text`, or npos.
  size_t Find(std::string_view text) { return text.find('\n'); }
};

class EndsOutsideQuotes {
 public:
  size_t Find(std::string_view text) {
    for (size_t i = 0; i < text.size(); ++i) {
      if (text[i] == '"') in_quotes_ = !in_quotes_;
      if (text[i] == '\n' && !in_quotes_) return i;
    }
    return std::string_view::npos;
  }

 private:
  bool in_quotes_ = false;
};

template <class Ends, bool kSkipsEmpty>
class LineRecords final : public RecordFormat {
 public:
  explicit LineRecords(int64_t skip) : skip_(skip) {}

  Result<bool> Find(FileCursor& file, uint64_t& at, RecordSpan& record) const override {
    if (at == 0) {
      for (int64_t i = 0; i < skip_; ++i) DF_TRY(Line(file, at, record).status());
    }
    while (true) {
      DF_ASSIGN(const bool found, Line(file, at, record));
      if (!found || !kSkipsEmpty) return found;
      DF_ASSIGN(const std::string_view line, Read(file, record));
      if (!line.empty()) return true;
    }
  }

  Result<std::string_view> Read(FileCursor& file, const RecordSpan& record) const override {
    DF_ASSIGN(const std::string_view line, file.View(record.offset, record.bytes));
    return line.substr(0, line.size() - (!line.empty() && line.back() == '\r' ? 1 : 0));
  }

 private:
  // Whatever its length, no more than a buffer of it is looked at in one piece.
  static Result<bool> Line(FileCursor& file, uint64_t& at, RecordSpan& record) {
    const uint64_t size = file.file().size();
    if (at >= size) return false;
    const uint64_t begin = at;
    Ends ends;
    while (at < size) {
      DF_ASSIGN(const std::string_view text, file.Some(at));
      const size_t end = ends.Find(text);
      if (end != std::string_view::npos) {
        record = {begin, at + end - begin};
        at += end + 1;
        return true;
      }
      at += text.size();
    }
    record = {begin, size - begin};
    return true;
  }

  const int64_t skip_;
};

}  // namespace

std::unique_ptr<RecordFormat> TextLines(int64_t skip) {
  return std::make_unique<LineRecords<PlainEnds, false>>(skip);
}

std::unique_ptr<RecordFormat> CsvLines(int64_t skip) {
  return std::make_unique<LineRecords<EndsOutsideQuotes, true>>(skip);
}

}  // namespace dfrun
