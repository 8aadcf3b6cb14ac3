#include "src/storage/hdf5_file.h"

#include <algorithm>
#include <utility>

#include "src/base/host/host_limits.h"
#include "src/framework/values/true_bools.h"
#include "src/storage/hdf5_helper.h"

namespace dfrun {
namespace {

// Rows that are asked for at once: a row of chunks, which HDF5 unpacks whole, or so many bytes.
constexpr size_t kBlockBytes = size_t{64} << 20;
constexpr size_t kMaxBlockBytes = size_t{1} << 30;

// A file of a few bytes may claim to hold any number of them.
Status CheckFitsMemory(const DatasetInfo& info, const std::string& dataset, const std::string& path) {
  const uint64_t bytes = BytesOf(info);
  if (bytes <= static_cast<uint64_t>(LimitsOfHost().memory_bytes)) return Status();
  return Error(Code::kResourceExhausted, "dataset '", dataset, "' of ", path, " has ", bytes,
               " bytes, more than this machine has memory", AboutMemoryLimit());
}

}  // namespace

Hdf5File::Hdf5File(FileDescriptor bytes, const FileVersion& version, Hdf5Path file,
                   std::shared_ptr<Hdf5Helpers> helpers)
    : bytes_(std::move(bytes)), version_(version), file_(std::move(file)), helpers_(std::move(helpers)) {}

Result<std::unique_ptr<Hdf5File>> Hdf5File::Open(const std::string& path, const Hdf5Rules& rules,
                                                 std::shared_ptr<Hdf5Helpers> helpers) {
  DF_TRY(CheckMayBeHdf5(path));
  DF_ASSIGN(FileDescriptor bytes,
            rules.is_shard ? FileDescriptor::OpenRegular(path) : FileDescriptor::OpenForReading(path));
  DF_ASSIGN(const FileVersion version, VersionOf(bytes));
  if (helpers == nullptr) helpers = std::make_shared<Hdf5Helpers>();
  return std::unique_ptr<Hdf5File>(new Hdf5File(std::move(bytes), version, {path, rules}, std::move(helpers)));
}

Status Hdf5File::CheckInfo(const std::string& dataset, DatasetInfo& info) const {
  info.contiguous = info.contiguous && IsPlain(info.dtype) && !info.holds_lists;
  const int64_t rows = info.shape.rank() > 0 ? info.shape[0] : 0;
  info.chunk_rows = std::clamp<int64_t>(info.chunk_rows, 0, std::max<int64_t>(rows, 0));
  if (!info.contiguous) return Status();
  const uint64_t bytes = BytesOf(info);
  if (bytes <= version_.bytes && info.offset <= version_.bytes - bytes) return Status();
  return Error(Code::kDataLoss, path(), " has ", version_.bytes, " bytes: it ends before its dataset '", dataset, "'");
}

Result<DatasetInfo> Hdf5File::Inspect(const std::string& dataset) {
  const auto known = infos_.find(dataset);
  if (known != infos_.end()) return known->second;
  DF_ASSIGN(DatasetInfo info, helpers_->Inspect(file_, dataset));
  DF_TRY(CheckInfo(dataset, info));
  return infos_[dataset] = info;
}

void Hdf5File::Know(const Hdf5Layout& layout) {
  if (!(layout.file == version_)) return;
  for (const auto& [dataset, told] : layout.datasets) {
    DatasetInfo info = told;
    if (CheckInfo(dataset, info).ok()) infos_[dataset] = info;
  }
}

Result<Tensor> Hdf5File::Read(const std::string& dataset, Allocator& allocator) {
  DF_ASSIGN(const DatasetInfo info, Inspect(dataset));
  DF_TRY(CheckFitsMemory(info, dataset, path()));
  DF_ASSIGN(Tensor value, Tensor::Allocate(allocator, info.dtype, info.shape));
  if (value.num_elements() == 0) return value;
  if (info.contiguous) {
    DF_TRY(bytes_.ReadAt(info.offset, value.raw(), value.num_bytes()));
  } else if (IsPlain(info.dtype) && info.shape.rank() > 0) {
    DF_TRY(ReadInBlocks(dataset, info, value));
  } else {
    DF_TRY(helpers_->Read(file_, dataset, MostUnpacked(info.unpacked_bytes, version_.bytes) + version_.bytes, value));
  }
  MakeTrueBools(value);
  return value;
}

Status Hdf5File::ReadInBlocks(const std::string& dataset, const DatasetInfo& info, Tensor& to) {
  const int64_t rows = info.shape[0];
  const size_t row_bytes = std::max<size_t>(to.num_bytes() / static_cast<size_t>(rows), 1);
  const auto fit = [&](size_t bytes) { return std::max<int64_t>(static_cast<int64_t>(bytes / row_bytes), 1); };
  int64_t block = fit(kBlockBytes);
  if (info.chunk_rows > 0) {
    block = std::max(block / info.chunk_rows, int64_t{1}) * info.chunk_rows;
    block = std::min(block, fit(kMaxBlockBytes));
  }
  for (int64_t begin = 0; begin < rows; begin += block) {
    Tensor part = to.SliceRows(begin, std::min(begin + block, rows));
    DF_TRY(helpers_->ReadRows(file_, dataset, begin, part));
  }
  return Status();
}

Status Hdf5File::ReadRows(const std::string& dataset, int64_t begin, Tensor& to) {
  DF_TRY(helpers_->ReadRows(file_, dataset, begin, to));
  MakeTrueBools(to);
  return Status();
}

}  // namespace dfrun
