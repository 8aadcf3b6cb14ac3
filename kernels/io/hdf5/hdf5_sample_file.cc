#include "kernels/io/hdf5/hdf5_sample_file.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>

#include "kernels/io/convert_elements.h"

namespace dfrun {
namespace {

// The type of a dataset is an error of the file, not of the spec that names it.
Status AsUnreadable(const Status& status) {
  return status.code() == Code::kInvalidArgument ? NoInput(status.message()) : status;
}

size_t BytesIn(const Tensor& kept) {
  if (IsPlain(kept.dtype())) return kept.num_bytes();
  size_t bytes = static_cast<size_t>(kept.num_elements()) * sizeof(std::string);
  for (const std::string& text : kept.values<std::string>()) bytes += text.size();
  return bytes;
}

int64_t RowElements(const DatasetInfo& info) {
  int64_t elements = 1;
  for (int axis = 1; axis < info.shape.rank(); ++axis) elements *= info.shape[axis];
  return elements;
}

}  // namespace

Result<std::unique_ptr<Hdf5SampleFile>> Hdf5SampleFile::Open(const std::string& path, const Hdf5Rules& rules,
                                                             std::shared_ptr<Hdf5Helpers> helpers,
                                                             const Hdf5Layout& known) {
  std::unique_ptr<Hdf5SampleFile> file(new Hdf5SampleFile);
  DF_ASSIGN(file->hdf5_, Hdf5File::Open(path, rules, std::move(helpers)));
  file->hdf5_->Know(known);
  return file;
}

Status Hdf5SampleFile::AddField(SampleField& field) {
  Column column;
  column.field = field;
  DF_TRY(Inspect(column));
  DF_TRY(CheckRows(column));
  num_samples_ = column.info.shape[0];
  DF_TRY(Settle(column, field));
  column.field = field;
  column.row_bytes = static_cast<size_t>(RowElements(column.info)) * DTypeSize(column.info.dtype);
  columns_.push_back(std::move(column));
  return Status();
}

Status Hdf5SampleFile::Inspect(Column& column) {
  const std::string& from = column.field.from;
  Result<DatasetInfo> info = hdf5_->Inspect(from);
  if (!info.ok()) return AsUnreadable(info.status());
  column.info = *std::move(info);
  // Lists of bytes are strings, and numbers where that is wanted.
  const DType wanted = column.field.dtype;
  if (column.info.dtype != DType::kString || wanted == DType::kInvalid || wanted == DType::kString) return Status();
  if (const Result<DatasetInfo> bytes = hdf5_->Inspect(StrCat(from, kListValues)); bytes.ok()) {
    column.info.dtype = bytes->dtype;
    column.info.holds_lists = true;
  }
  return Status();
}

Status Hdf5SampleFile::CheckRows(const Column& column) const {
  const Shape& shape = column.info.shape;
  const std::string& from = column.field.from;
  if (shape.rank() == 0) return InvalidArgument("'", from, "' is a scalar: samples are rows of a first dimension");
  if (!columns_.empty() && shape[0] != num_samples_) {
    return NoInput("'", from, "' has ", shape[0], " samples, but '", columns_[0].field.from, "' has ", num_samples_);
  }
  return Status();
}

Status Hdf5SampleFile::Settle(const Column& column, SampleField& field) {
  const DType dtype = column.info.dtype;
  if (field.dtype == DType::kInvalid) field.dtype = dtype;
  if (field.dtype != dtype && !IsConvertible(dtype, field.dtype)) {
    return InvalidArgument("'", field.from, "' is ", dtype, ", which cannot be converted to ", field.dtype);
  }
  PartialShape sample = Shape(column.info.shape.dims().subspan(1));
  if (column.info.holds_lists) sample.Append(PartialShape::kUnknown);
  Result<PartialShape> merged = field.shape.Merge(sample);
  if (!merged.ok()) {
    return InvalidArgument("'", field.from, "' has samples of shape ", sample, ", but ", field.shape, " is declared");
  }
  field.shape = *std::move(merged);
  if (!field.fallback) return Status();
  Tensor one(field.dtype, Shape());
  return FillWithFallback(field, one, 0, 1);
}

Status Hdf5SampleFile::Load(const Hdf5Plan& plan) {
  if (plan.maps) MapDatasets(plan.touches);
  for (Column& column : columns_) DF_TRY(LoadColumn(column, plan));
  const auto needs_file = [&](const Column& column) {
    return column.info.contiguous && !plan.copies && (column.rows == nullptr || plan.keeps_open);
  };
  if (std::none_of(columns_.begin(), columns_.end(), needs_file)) hdf5_->CloseBytes();
  return Status();
}

Status Hdf5SampleFile::LoadColumn(Column& column, const Hdf5Plan& plan) {
  if (column.info.contiguous) return plan.copies ? Keep(column) : Status();
  if (column.info.holds_lists) return KeepLists(column);
  if (!IsPlain(column.info.dtype) || plan.keeps_unpacked) return Keep(column);
  column.blocks = std::make_unique<Hdf5Blocks>(column.info, plan.blocks);
  return Status();
}

bool Hdf5SampleFile::unpacks_later() const {
  return std::any_of(columns_.begin(), columns_.end(), [](const Column& column) { return column.blocks != nullptr; });
}

// They lie within the file.
void Hdf5SampleFile::MapDatasets(bool touches) {
  uint64_t end = 0;
  for (const Column& column : columns_) {
    if (column.info.contiguous) end = std::max(end, column.info.offset + BytesOf(column.info));
  }
  if (end > 0) mapped_ = MappedFile::Map(hdf5_->bytes(), end);
  if (!mapped_.is_mapped()) return;
  is_touched_ = touches;
  for (Column& column : columns_) {
    if (!column.info.contiguous) continue;
    column.rows = mapped_.bytes().data() + column.info.offset;
    if (touches) mapped_.Touch(column.info.offset, BytesOf(column.info));
    if (!touches) mapped_.ReadAhead(column.info.offset, BytesOf(column.info));
  }
}

Status Hdf5SampleFile::Keep(Column& column) {
  DF_ASSIGN(column.kept, hdf5_->Read(column.field.from, SystemAllocator()));
  if (IsPlain(column.info.dtype)) column.rows = static_cast<const char*>(column.kept.raw());
  kept_bytes_ += BytesIn(column.kept);
  return Status();
}

// All lists one after the other, as the field's dtype.
Status Hdf5SampleFile::KeepLists(Column& column) {
  const std::string& from = column.field.from;
  DF_ASSIGN(const Tensor lengths, hdf5_->Read(StrCat(from, kListLengths), SystemAllocator()));
  DF_ASSIGN(const Tensor values, hdf5_->Read(StrCat(from, kListValues), SystemAllocator()));
  int64_t end = 0;
  for (const int64_t length : lengths.values<int64_t>()) {
    if (length < 0 || length > values.num_elements() - end) {
      return Error(Code::kDataLoss, path(), ": the lists of '", from, "' have more values than there are");
    }
    column.list_ends.push_back(end += length);
  }
  DF_ASSIGN(column.kept, Tensor::Allocate(SystemAllocator(), column.field.dtype, values.shape()));
  kept_bytes_ += BytesIn(column.kept) + column.list_ends.size() * sizeof(int64_t);
  const auto failed = ConvertElements(values.dtype(), values.raw(), column.field.dtype, column.kept.raw(), end);
  if (!failed) return Status();
  const auto list = std::upper_bound(column.list_ends.begin(), column.list_ends.end(), failed->element);
  return Error(Code::kDataLoss, path(), ", sample ", (list - column.list_ends.begin()) / RowElements(column.info),
               " of '", from, "': ", failed->text, " is no ", column.field.dtype);
}

bool Hdf5SampleFile::IsInMemory(size_t& bytes) const {
  for (const Column& column : columns_) {
    if (column.rows == nullptr || column.converts()) return false;
    bytes += column.row_bytes;
  }
  return !mapped_.is_mapped() || is_touched_;
}

Status Hdf5SampleFile::Gather(std::span<const int64_t> rows, std::span<const int64_t> at, BatchBuilder& batch) {
  for (size_t f = 0; f < columns_.size(); ++f) {
    Column& column = columns_[f];
    if (column.info.holds_lists) {
      DF_TRY(GatherLists(column, rows, at, f, batch));
    } else if (column.info.dtype == DType::kString) {
      GatherStrings(column, rows, at, batch.Row(f, 0).data<std::string>());
    } else if (column.converts()) {
      DF_TRY(GatherConverted(column, rows, at, batch.Row(f, 0)));
    } else {
      DF_TRY(GatherStored(column, rows, at, batch.Row(f, 0).bytes()));
    }
  }
  return is_open() ? mapped_.Check(hdf5_->bytes()) : mapped_.Check(path());
}

Status Hdf5SampleFile::GatherStored(Column& column, std::span<const int64_t> rows, std::span<const int64_t> at,
                                    char* to) {
  DF_TRY(CopyStored(column, rows, at, to));
  // Rows that are kept in memory cannot change.
  return first_ == nullptr || column.kept.initialized() ? Status() : CompareRows(column, rows, at, to);
}

Status Hdf5SampleFile::CompareRows(const Column& column, std::span<const int64_t> rows, std::span<const int64_t> at,
                                   const char* gathered) const {
  FirstReading& first = *(*first_)[static_cast<size_t>(&column - columns_.data())];
  for (size_t i = 0; i < rows.size(); ++i) {
    const char* const row = gathered + static_cast<size_t>(at[i]) * column.row_bytes;
    if (first.IsSame(begin_ + rows[i], row, column.row_bytes)) continue;
    return Error(Code::kDataLoss, path(), ", sample ", rows[i], " of '", column.field.from, "': ", kReadOtherwise);
  }
  return Status();
}

Status Hdf5SampleFile::CopyStored(Column& column, std::span<const int64_t> rows, std::span<const int64_t> at,
                                  char* to) {
  const size_t bytes = column.row_bytes;
  if (column.blocks) {
    MutexLock lock(mu_);
    const auto read = [&](int64_t begin, Tensor& block) { return hdf5_->ReadRows(column.field.from, begin, block); };
    return column.blocks->Gather(read, rows, at, to);
  }
  if (column.rows != nullptr) {
    for (size_t i = 0; i < rows.size(); ++i) {
      std::memcpy(to + static_cast<size_t>(at[i]) * bytes, column.rows + static_cast<size_t>(rows[i]) * bytes, bytes);
    }
    return Status();
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    const uint64_t offset = column.info.offset + static_cast<uint64_t>(rows[i]) * bytes;
    const Status read = hdf5_->bytes().ReadAt(offset, to + static_cast<size_t>(at[i]) * bytes, bytes);
    if (!read.ok()) return read.Annotate(StrCat("sample ", rows[i], " of '", column.field.from, "'"));
  }
  return Status();
}

Status Hdf5SampleFile::GatherConverted(Column& column, std::span<const int64_t> rows, std::span<const int64_t> at,
                                       const BatchBuilder::Room& to) {
  Shape shape = column.info.shape;
  shape.set_dim(0, static_cast<int64_t>(rows.size()));
  DF_ASSIGN(Tensor stored, Tensor::Allocate(SystemAllocator(), column.info.dtype, shape));
  std::vector<int64_t> in_order(rows.size());
  std::iota(in_order.begin(), in_order.end(), 0);
  DF_TRY(GatherStored(column, rows, in_order, static_cast<char*>(stored.raw())));
  const int64_t elements = RowElements(column.info);
  const size_t row_bytes = static_cast<size_t>(elements) * DTypeSize(column.field.dtype);
  for (size_t i = 0; i < rows.size(); ++i) {
    const auto failed =
        ConvertElements(column.info.dtype, static_cast<const char*>(stored.raw()) + i * column.row_bytes,
                        column.field.dtype, to.bytes() + static_cast<size_t>(at[i]) * row_bytes, elements);
    if (!failed) continue;
    return Error(Code::kDataLoss, path(), ", sample ", rows[i], " of '", column.field.from, "': ", failed->text,
                 " is no ", column.field.dtype);
  }
  return Status();
}

void Hdf5SampleFile::GatherStrings(const Column& column, std::span<const int64_t> rows, std::span<const int64_t> at,
                                   std::string* to) {
  const int64_t elements = RowElements(column.info);
  const std::string* const from = column.kept.data<std::string>();
  for (size_t i = 0; i < rows.size(); ++i) std::copy_n(from + rows[i] * elements, elements, to + at[i] * elements);
}

// Gathers lists. If a sample has several, the shorter ones are padded like samples of a batch.
Status Hdf5SampleFile::GatherLists(const Column& column, std::span<const int64_t> rows, std::span<const int64_t> at,
                                   size_t f, BatchBuilder& batch) {
  const int64_t lists = RowElements(column.info);
  const std::vector<int64_t>& ends = column.list_ends;
  const auto begin_of = [&](int64_t list) { return list == 0 ? 0 : ends[static_cast<size_t>(list - 1)]; };
  const size_t size = DTypeSize(column.field.dtype);
  for (size_t i = 0; i < rows.size(); ++i) {
    const int64_t first = rows[i] * lists;
    int64_t longest = 0;
    for (int64_t l = first; l < first + lists; ++l)
      longest = std::max(longest, ends[static_cast<size_t>(l)] - begin_of(l));
    std::vector<int64_t> dims(column.info.shape.dims().begin() + 1, column.info.shape.dims().end());
    dims.push_back(longest);
    DF_ASSIGN(const Shape shape, Shape::Create(dims));
    DF_ASSIGN(const BatchBuilder::Room room, batch.Reserve(f, at[i], shape));
    DF_TRY(FillWithFallback(column.field, *room.tensor, room.at, shape.num_elements()));
    for (int64_t l = 0; l < lists; ++l) {
      const auto begin = static_cast<size_t>(begin_of(first + l));
      const size_t bytes = (static_cast<size_t>(ends[static_cast<size_t>(first + l)]) - begin) * size;
      if (bytes == 0) continue;
      std::memcpy(room.bytes() + static_cast<size_t>(l * longest) * size,
                  static_cast<const char*>(column.kept.raw()) + begin * size, bytes);
    }
  }
  return Status();
}

}  // namespace dfrun
