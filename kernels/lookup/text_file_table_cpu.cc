// Tables from text files: vocabularies, one entry a line.
#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/device/cpu_kernel.h"
#include "kernels/lookup/lookup_table.h"
#include "kernels/strings/parse_number.h"
#include "src/base/file.h"
#include "src/storage/file_access.h"

namespace dfrun {
namespace {

constexpr int64_t kWholeLine = -2;
constexpr int64_t kLineNumber = -1;

// The part of a line that is a key, or a value.
struct Column {
  const char* what;
  int64_t index;
  DType dtype;
};

Status CheckColumn(const Column& column) {
  if (column.index == kLineNumber && column.dtype != DType::kInt64) {
    return InvalidArgument("the number of a line is int64, but the table's ", column.what, " is ", column.dtype);
  }
  const bool is_text_or_integer = column.dtype == DType::kString || IsInteger(column.dtype);
  if (column.index == kWholeLine && !is_text_or_integer) {
    return InvalidArgument("a whole line is a string or an integer, but the table's ", column.what, " is ",
                           column.dtype);
  }
  return Status();
}

// Lines without their ends.
std::vector<std::string> LinesOf(std::string_view data) {
  std::vector<std::string> lines;
  while (!data.empty()) {
    const size_t end = std::min(data.find('\n'), data.size());
    std::string line(data.substr(0, end));
    std::erase(line, '\r');
    lines.push_back(std::move(line));
    data.remove_prefix(std::min(end + 1, data.size()));
  }
  return lines;
}

template <class T>
Status StoreNumber(std::string_view text, T* to) {
  if (ParseNumber(text, *to)) return Status();
  return InvalidArgument("'", text, "' is no ", DTypeOf<T>);
}

Status Store(std::string_view text, int64_t at, Tensor& to) {
  switch (to.dtype()) {
    case DType::kString:
      to.data<std::string>()[at] = std::string(text);
      return Status();
    case DType::kInt32:
      return StoreNumber(text, to.data<int32_t>() + at);
    case DType::kInt64:
      return StoreNumber(text, to.data<int64_t>() + at);
    case DType::kFloat:
      return StoreNumber(text, to.data<float>() + at);
    case DType::kDouble:
      return StoreNumber(text, to.data<double>() + at);
    default:
      return Unimplemented("a column of a text file cannot be ", to.dtype());
  }
}

class InitializeFromTextFile final : public Kernel {
 public:
  explicit InitializeFromTextFile(KernelSetup& setup)
      : key_index_(setup.attr<int64_t>("key_index")),
        value_index_(setup.attr<int64_t>("value_index")),
        size_(setup.attr<int64_t>("vocab_size")),
        delimiter_(setup.attr<std::string>("delimiter")),
        offset_(setup.attr<int64_t>("offset")) {
    if (size_ == 0) setup.Fail(InvalidArgument("vocab_size is a number of lines, or -1 for all, not 0"));
    if (delimiter_.size() != 1) setup.Fail(InvalidArgument("delimiter is one character, not '", delimiter_, "'"));
  }

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(LookupTable* const table, TableInput(ctx, 0));
    if (ctx.input(1).shape().rank() != 0)
      return InvalidArgument("the file name is a scalar, not ", ctx.input(1).shape());
    const std::string& path = ctx.input(1).scalar<std::string>();
    const Column key{"key", key_index_, table->type().key};
    const Column value{"value", value_index_, table->type().value};
    DF_TRY(CheckColumn(key));
    DF_TRY(CheckColumn(value));
    DF_ASSIGN(const FileDescriptor file, FileAccess::Of(ctx.device())->OpenForReading(path));
    DF_ASSIGN(const std::string data, ReadAll(file, std::numeric_limits<int64_t>::max()));
    std::vector<std::string> lines = LinesOf(data);
    DF_TRY(TakeWanted(path, lines));
    DF_ASSIGN(const Tensor keys, Read(path, lines, key));
    DF_ASSIGN(const Tensor values, Read(path, lines, value));
    return table->Initialize(keys, values);
  }

 private:
  // Keeps the first vocab_size lines, none of which is empty.
  Status TakeWanted(const std::string& path, std::vector<std::string>& lines) const {
    if (size_ > 0 && static_cast<size_t>(size_) > lines.size()) {
      return InvalidArgument(path, " has ", lines.size(), " lines, but vocab_size is ", size_);
    }
    if (size_ > 0) lines.resize(static_cast<size_t>(size_));
    if (lines.empty()) return InvalidArgument(path, " is empty: a table is filled from one line at least");
    const auto empty = std::find(lines.begin(), lines.end(), "");
    if (empty != lines.end()) {
      return InvalidArgument(path, ":", empty - lines.begin() + 1, ": the line is empty, and no entry of a table");
    }
    if (offset_ > 0 && std::numeric_limits<int64_t>::max() - offset_ < static_cast<int64_t>(lines.size())) {
      return InvalidArgument("the numbers of the lines of ", path, " and the offset ", offset_, " are no int64");
    }
    return Status();
  }

  Result<Tensor> Read(const std::string& path, const std::vector<std::string>& lines, const Column& column) const {
    Tensor out(column.dtype, Shape({static_cast<int64_t>(lines.size())}));
    for (size_t i = 0; i < lines.size(); ++i) {
      const auto at = static_cast<int64_t>(i);
      if (column.index == kLineNumber) {
        out.data<int64_t>()[i] = offset_ + at;
        continue;
      }
      DF_TRY(ReadLine(lines[i], column, at, out).Annotate(StrCat(path, ":", i + 1)));
    }
    return out;
  }

  Status ReadLine(std::string_view line, const Column& column, int64_t at, Tensor& out) const {
    if (column.index == kWholeLine) return Store(line, at, out);
    for (int64_t skip = column.index; skip > 0; --skip) {
      const size_t end = line.find(delimiter_[0]);
      if (end == std::string_view::npos) {
        return InvalidArgument("the line has ", column.index - skip + 1, " columns, no column ", column.index,
                               " for the ", column.what);
      }
      line.remove_prefix(end + 1);
    }
    return Store(line.substr(0, line.find(delimiter_[0])), at, out);
  }

  const int64_t key_index_;
  const int64_t value_index_;
  const int64_t size_;
  const std::string delimiter_;
  const int64_t offset_;  // added to the numbers of lines
};

CPU_KERNEL_ANY("InitializeTableFromTextFileV2", InitializeFromTextFile);

}  // namespace
}  // namespace dfrun
