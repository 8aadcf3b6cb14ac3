#include <algorithm>
#include <utility>

#include "kernels/io/line_reader.h"
#include "kernels/io/record_format.h"

namespace dfrun {
namespace {

// The byte order mark that some programs write at the begin of a UTF-8 file.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

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

class CsvRecords final : public RecordFormat {
 public:
  explicit CsvRecords(std::optional<CsvHeader> header) : header_(std::move(header)) {}

  bool BeginsWithAnything() const override { return false; }
  bool HasLines() const override { return true; }

  Result<bool> Find(FileCursor& file, uint64_t& at, RecordSpan& record) const override {
    if (at == 0) {
      DF_ASSIGN(const std::string_view begin, file.View(0, std::min(file.file().size(), kByteOrderMark.size())));
      if (begin == kByteOrderMark) at = begin.size();
      if (begin.starts_with("\xFF\xFE") || begin.starts_with("\xFE\xFF"))
        return Error(Code::kDataLoss, "it is UTF-16 text; save it as UTF-8");
      if (header_) DF_TRY(SkipHeader(file, at));
    }
    return FindFilled(file, at, record);
  }

  Result<std::string_view> Read(FileCursor& file, const RecordSpan& record) const override {
    return ReadLine(file, record);
  }

 private:
  static Result<bool> FindFilled(FileCursor& file, uint64_t& at, RecordSpan& record) {
    while (true) {
      DF_ASSIGN(const bool found, FindLine<EndsOutsideQuotes>(file, at, record));
      if (!found) return false;
      DF_ASSIGN(const std::string_view line, ReadLine(file, record));
      if (!line.empty()) return true;
    }
  }

  Status SkipHeader(FileCursor& file, uint64_t& at) const {
    RecordSpan record;
    DF_ASSIGN(const bool found, FindFilled(file, at, record));
    if (!found) return Status();
    DF_ASSIGN(const std::string_view line, ReadLine(file, record));
    const Result<std::vector<std::string>> names = CsvFields(line, header_->format);
    if (names.ok() && *names == header_->names) return Status();
    return Error(Code::kDataLoss, "its header '", line.substr(0, kShownBytes),
                 "' is not that of the first file: columns must have one order in all");
  }

  static constexpr size_t kShownBytes = 200;

  const std::optional<CsvHeader> header_;
};

}  // namespace

std::unique_ptr<RecordFormat> CsvLines(std::optional<CsvHeader> header) {
  return std::make_unique<CsvRecords>(std::move(header));
}

}  // namespace dfrun
