// csv: columns of comma-separated values.
#include <algorithm>
#include <limits>

#include "kernels/io/formats/raw_decoder.h"
#include "kernels/io/parse_element.h"
#include "kernels/parsing/csv_record.h"
#include "kernels/strings/parse_number.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

class CsvDecoder final : public RecordDecoder {
 public:
  // Sets the wanted columns. `na`: the texts for a missing value in every column; nothing: the usual texts of programs,
  // in columns of numbers that have a default.
  CsvDecoder(std::shared_ptr<CsvColumns> columns, std::optional<std::vector<std::string>> na)
      : set_(std::move(columns)), header_(set_->header), na_(std::move(na)) {}

  Status AddField(SampleField& field) override {
    DF_ASSIGN(const Columns columns, ColumnsOf(field.from));
    if (field.dtype == DType::kInvalid) {
      field.dtype = DType::kFloat;
      field.is_exact = true;
    }
    if (!IsParsed(field.dtype)) {
      return InvalidArgument("'", field.from, "' cannot be ", field.dtype, ", only a real number, bool or string");
    }
    const int64_t count = columns.end - columns.begin;
    if (!field.shape.known_rank()) {
      field.shape = columns.is_range ? PartialShape({count}) : PartialShape::Scalar();
    }
    DF_ASSIGN(const Shape shape, field.shape.ToShape());
    if (shape.num_elements() != count) {
      return InvalidArgument("'", field.from, "' are ", count, " columns, but ", field.shape, " is declared");
    }
    columns_.push_back(columns);
    set_->wanted = std::max(set_->wanted, static_cast<size_t>(columns.end));
    fields_.push_back(field);
    const std::optional<size_t> digits = LongDigits(field.dtype, field.is_exact);
    if (digits && *digits >= kRareDigits) LookFor(*digits, columns);
    return Status();
  }

  bool LooksAtRecords() const override { return least_digits_ != kNever; }

  bool MayRefuse(std::string_view record) const override {
    const auto found = [&](size_t from) { return FindLongInteger(record, least_digits_, from); };
    size_t column = 0;
    size_t at = 0;
    for (std::optional<DigitRun> run = found(0); run; run = found(at)) {
      const std::string_view before = record.substr(at, run->begin - at);
      if (set_->format.quotes && before.find('"') != std::string_view::npos) return true;  // a delimiter may be none
      column += static_cast<size_t>(std::count(before.begin(), before.end(), set_->format.delimiter));
      if (column < long_digits_.size() && run->count >= long_digits_[column]) return true;
      at = run->begin + run->count;
    }
    return false;
  }

  Status Decode(const Record& record, int64_t i, BatchBuilder& batch) const override {
    DF_ASSIGN(std::vector<std::string> values, Values(record.bytes));
    for (size_t f = 0; f < columns_.size(); ++f) {
      const BatchBuilder::Room room = batch.Row(f, i);
      for (int64_t c = columns_[f].begin; c < columns_[f].end; ++c) {
        if (static_cast<size_t>(c) >= values.size()) {
          return InvalidArgument("column ", c, " is wanted, but there are ", values.size());
        }
        Status status =
            Parse(values[static_cast<size_t>(c)], fields_[f], *room.tensor, room.at + c - columns_[f].begin);
        if (!status.ok()) return WithHint(status.Annotate(StrCat("column ", c, NameOf(c))), values);
      }
    }
    return Status();
  }

 private:
  struct Columns {
    int64_t begin = 0;
    int64_t end = 0;
    bool is_range = false;
  };

  // The fields of a record, of which there are no more than columns.
  Result<std::vector<std::string>> Values(std::string_view record) const {
    Result<std::vector<std::string>> values = CsvFields(record, set_->format);
    if (!values.ok() && set_->count > 0) {
      return InvalidArgument(values.status().message(), "; no record of ", set_->count, " fields begins here");
    }
    if (!values.ok() || values->empty() || set_->MayHave(values->size(), values->back().empty())) return values;
    return InvalidArgument("it has ", values->size(), " fields, but ",
                           header_.empty() ? "the first record" : "the header", " has ", set_->count,
                           "; a field that holds the delimiter must be in quotes");
  }

  void LookFor(size_t digits, const Columns& columns) {
    least_digits_ = std::min(least_digits_, digits);
    const auto end = static_cast<size_t>(columns.end);
    if (end > long_digits_.size()) long_digits_.resize(end, kNever);
    for (auto c = static_cast<size_t>(columns.begin); c < end; ++c) long_digits_[c] = std::min(long_digits_[c], digits);
  }

  // " ('id')" for a column that the header names.
  std::string NameOf(int64_t column) const {
    const auto at = static_cast<size_t>(column);
    return at < header_.size() ? StrCat(" ('", header_[at].substr(0, kShownBytes), "')") : "";
  }

  // A name of the header, a number, or numbers "begin:end" of which the end is not one.
  Result<Columns> ColumnsOf(const std::string& from) const {
    auto named = std::find(header_.begin(), header_.end(), from);
    if (named != header_.end()) {
      if (std::find(named + 1, header_.end(), from) == header_.end())
        return Columns{named - header_.begin(), named - header_.begin() + 1, false};
      return InvalidArgument("two columns are named '", from, "': give the number of one, counted from 0");
    }
    Columns columns;
    const size_t colon = from.find(':');
    bool ok = ParseNumber(from.substr(0, colon), columns.begin) && columns.begin >= 0;
    columns.end = columns.begin + 1;
    if (colon != std::string::npos) {
      columns.is_range = true;
      ok = ok && ParseNumber(from.substr(colon + 1), columns.end) && columns.end > columns.begin;
    }
    if (ok && (header_.empty() || columns.end <= static_cast<int64_t>(header_.size()))) return columns;
    return NotFound("there is no column '", from, "'", Hint(from));
  }

  std::string Hint(const std::string& from) const {
    if (header_.empty()) return ": it is a number, or a range as 0:3; 'header: true' takes names from the first line";
    if (const std::string near = Nearest(from, header_); !near.empty()) return StrCat(", did you mean '", near, "'?");
    constexpr size_t kMaxShown = 8;
    std::string names;
    for (size_t i = 0; i < std::min(header_.size(), kMaxShown); ++i)
      names += StrCat(i > 0 ? ", " : "", "'", header_[i].substr(0, kShownBytes), "'");
    return StrCat(
        header_.size() == 1 ? ": there is only " : StrCat(": there are ", header_.size(), ", the first ones "), names);
  }

  // A line without any number may be the names of the columns.
  Status WithHint(const Status& status, const std::vector<std::string>& values) const {
    const auto is_number = [](const std::string& value) {
      double number = 0;
      return ParseNumber(value, number);
    };
    if (!header_.empty() || std::any_of(values.begin(), values.end(), is_number)) return status;
    return Status(status.code(),
                  StrCat(status.message(), "; where the first line has the columns' names, 'header: true'"));
  }

  static bool IsUsualNa(std::string_view value) {
    static constexpr std::string_view kUsual[] = {"NA", "N/A", "n/a", "NULL", "null"};
    return std::find(std::begin(kUsual), std::end(kUsual), value) != std::end(kUsual);
  }

  bool IsMissing(const std::string& text, const SampleField& field) const {
    const std::string_view value = field.dtype == DType::kString ? std::string_view(text) : Trimmed(text);
    if (na_ && std::find(na_->begin(), na_->end(), value) != na_->end()) return true;
    if (!field.fallback) return false;
    return value.empty() || (!na_ && field.dtype != DType::kString && IsUsualNa(value));
  }

  Status Parse(std::string& text, const SampleField& field, Tensor& to, int64_t at) const {
    if (IsMissing(text, field)) {
      if (field.fallback || field.dtype == DType::kString) return FillWithFallback(field, to, at, 1);
      return InvalidArgument("'", text, "' is a missing value, for which the tensor of '", field.from,
                             "' has no 'default'");
    }
    if (to.dtype() == DType::kString) {
      to.data<std::string>()[at] = std::move(text);
      return Status();
    }
    const Status status = ParseElement(text, field.is_exact, to, at);
    const std::string_view value = Trimmed(text);
    if (status.ok() || !(value.empty() || IsUsualNa(value))) return status;
    return InvalidArgument(status.message(), "; a 'default' of the tensor stands for missing values, and 'na' lists ",
                           "what they are written as");
  }

  static constexpr size_t kShownBytes = 80;  // bytes of a column's name in errors
  static constexpr size_t kRareDigits = 5;   // digits of a number; numbers of uint8 are in every record
  static constexpr size_t kNever = std::numeric_limits<size_t>::max();

  const std::shared_ptr<CsvColumns> set_;
  const std::vector<std::string>& header_;
  const std::optional<std::vector<std::string>> na_;
  std::vector<Columns> columns_;  // by field
  std::vector<SampleField> fields_;
  // The number of digits from which on a field may not hold a number, if such numbers are rare in the files: by column,
  // and the least of all.
  std::vector<size_t> long_digits_;
  size_t least_digits_ = kNever;
};

// Reads the names in the first record of `path`; a compressed file is inflated whole. DataLoss where there is no
// record.
Result<std::vector<std::string>> ReadHeader(const std::string& path, Compression compression, const CsvFormat& format) {
  DF_ASSIGN(const ByteFile file, ByteFile::Open(path, compression, 0));
  FileCursor cursor(file);
  DF_TRY(CheckNotZipped(cursor));
  const std::unique_ptr<RecordFormat> lines = CsvLines(std::make_shared<CsvColumns>(CsvColumns{format, {}}));
  RecordSpan first;
  uint64_t at = 0;
  const Result<bool> found = lines->Find(cursor, at, first);
  if (!found.ok()) return found.status().Annotate(path);
  if (!*found) return Error(Code::kDataLoss, path, " is empty: it lacks its header");
  DF_ASSIGN(const std::string_view line, lines->Read(cursor, first));
  Result<std::vector<std::string>> names = CsvFields(line, format);
  if (!names.ok()) return names.status().Annotate(StrCat(path, ", the header"));
  return names;
}

// The number of fields of a file's first record that parses; 0 where there is none among the first ones.
Result<size_t> FirstFields(const std::string& path, Compression compression, const CsvFormat& format) {
  constexpr int kTried = 100;
  DF_ASSIGN(const ByteFile file, ByteFile::Open(path, compression, 0));
  FileCursor cursor(file);
  DF_TRY(CheckNotZipped(cursor));
  const std::unique_ptr<RecordFormat> lines = CsvLines(std::make_shared<CsvColumns>(CsvColumns{format, {}}));
  uint64_t at = 0;
  for (int i = 0; i < kTried; ++i) {
    RecordSpan record;
    DF_ASSIGN(const bool found, lines->Find(cursor, at, record));
    if (!found) break;
    DF_ASSIGN(const std::string_view bytes, lines->Read(cursor, record));
    if (const auto fields = CsvFields(bytes, format); fields.ok() && !fields->empty()) return fields->size();
  }
  return size_t{0};
}

// The number of columns of files without a header. Errors of a file are reported when its records are counted.
size_t CountColumns(const std::vector<std::string>& files, Compression compression, const CsvFormat& format) {
  for (const std::string& file : files) {
    const Result<size_t> fields = FirstFields(file, compression, format);
    if (fields.ok() && *fields > 0) return *fields;
  }
  return 0;
}

Result<CsvFormat> FormatOf(const SampleConfig& config) {
  const std::string delimiter = TextOption(config, "delimiter", ",");
  if (delimiter.size() != 1 || std::string_view("\"\r\n").find(delimiter[0]) != std::string_view::npos) {
    return InvalidArgument("'delimiter' must be one byte, no quote and no line end, not '", delimiter, "'");
  }
  return CsvFormat{delimiter[0], true};
}

Result<std::unique_ptr<SampleSource>> OpenCsv(const SampleConfig& config) {
  DF_ASSIGN(const CsvFormat format, FormatOf(config));
  DF_ASSIGN(std::vector<std::string> files, ExpandFiles(config.files));
  DF_ASSIGN(const Compression compression, CompressionOf(config));
  auto columns = std::make_shared<CsvColumns>(CsvColumns{format, {}});
  if (TextOption(config, "header", "false") == "true") {
    DF_ASSIGN(columns->header, ReadHeader(files[0], compression, format));
    columns->count = columns->header.size();
  } else {
    columns->count = CountColumns(files, compression, format);
  }
  return MakeRecordSource(config, std::move(files), CsvLines(columns),
                          std::make_unique<CsvDecoder>(columns, TextsOption(config, "na")));
}

SAMPLE_FORMAT(SampleFormat{.name = "csv",
                           .options = RecordOptions({{.name = "header", .kind = SampleOption::Kind::kBool},
                                                     {.name = "delimiter"},
                                                     {.name = "na", .kind = SampleOption::Kind::kTexts}}),
                           .open = &OpenCsv});

}  // namespace
}  // namespace dfrun
