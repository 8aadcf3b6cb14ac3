#include <algorithm>
#include <utility>

#include "kernels/io/csv_scan.h"
#include "kernels/io/line_reader.h"
#include "kernels/io/record_format.h"

namespace dfrun {
namespace {

// The byte order mark that some programs write at the begin of a UTF-8 file.
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

class CsvLineEnds {
 public:
  size_t Find(std::string_view text) { return text.find('\n'); }
};

class CsvRecords final : public RecordFormat {
 public:
  explicit CsvRecords(std::shared_ptr<const CsvColumns> columns) : columns_(std::move(columns)) {}

  bool BeginsWithAnything() const override { return false; }
  bool HasLines() const override { return true; }

  Result<bool> Find(FileCursor& file, uint64_t& at, RecordSpan& record) const override {
    if (at == 0) {
      DF_ASSIGN(const std::string_view begin, file.View(0, std::min(file.file().size(), kByteOrderMark.size())));
      if (begin == kByteOrderMark) at = begin.size();
      if (begin.starts_with("\xFF\xFE") || begin.starts_with("\xFE\xFF"))
        return Error(Code::kDataLoss, "it is UTF-16 text; save it as UTF-8");
      if (!columns_->header.empty()) DF_TRY(SkipHeader(file, at));
    }
    return FindFilled(file, at, record);
  }

  Result<std::string_view> Read(FileCursor& file, const RecordSpan& record) const override {
    return ReadLine(file, record);
  }

 private:
  Result<bool> FindFilled(FileCursor& file, uint64_t& at, RecordSpan& record) const {
    while (true) {
      const uint64_t begin = at;
      DF_ASSIGN(const bool found, FindLine<CsvLineEnds>(file, at, record));
      if (!found) return false;
      DF_ASSIGN(const std::string_view line, ReadLine(file, record));
      if (line.empty()) continue;
      if (line.find('"') != std::string_view::npos) DF_TRY(JoinLines(file, begin, at, record));
      return true;
    }
  }

  // Extends the record that begins at `begin`, of which `record` is the first line, by the lines that its quotes join.
  Status JoinLines(FileCursor& file, uint64_t begin, uint64_t& at, RecordSpan& record) const {
    const uint64_t size = file.file().size();
    CsvScan scan(*columns_);
    auto found = CsvScan::Found::kNothing;
    size_t end = 0;
    uint64_t from = begin;
    while (from < size) {
      DF_ASSIGN(const std::string_view text, file.Some(from));
      found = scan.Next(text, end);
      if (found != CsvScan::Found::kNothing) break;
      from += text.size();
    }
    if (from == size && scan.End() == CsvScan::Found::kEnd) {
      record = {begin, size - begin};
      at = size;
    } else if (found == CsvScan::Found::kEnd) {
      record = {begin, from + end - begin};
      at = from + end + 1;
    }
    return Status();
  }

  Status SkipHeader(FileCursor& file, uint64_t& at) const {
    RecordSpan record;
    DF_ASSIGN(const bool found, FindFilled(file, at, record));
    if (!found) return Status();
    DF_ASSIGN(const std::string_view line, ReadLine(file, record));
    const Result<std::vector<std::string>> names = CsvFields(line, columns_->format);
    if (names.ok() && *names == columns_->header) return Status();
    return Error(Code::kDataLoss, "its header '", line.substr(0, kShownBytes),
                 "' is not that of the first file: columns must have one order in all");
  }

  static constexpr size_t kShownBytes = 200;

  const std::shared_ptr<const CsvColumns> columns_;
};

}  // namespace

std::unique_ptr<RecordFormat> CsvLines(std::shared_ptr<const CsvColumns> columns) {
  return std::make_unique<CsvRecords>(std::move(columns));
}

}  // namespace dfrun
