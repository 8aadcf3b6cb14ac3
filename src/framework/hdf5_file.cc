#include "src/framework/hdf5_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "src/framework/hdf5_helper.h"

namespace dfrun {
namespace {

// Rows that are asked for at once: a row of chunks, which HDF5 unpacks whole, or so many bytes.
constexpr size_t kBlockBytes = size_t{64} << 20;
constexpr size_t kMaxBlockBytes = size_t{1} << 30;

// A file may hold any byte; a true bool has one representation.
void MakeTrueBools(Tensor& value) {
  if (value.dtype() != DType::kBool) return;
  auto* bytes = static_cast<unsigned char*>(value.raw());
  std::transform(bytes, bytes + value.num_bytes(), bytes, [](unsigned char b) { return b != 0 ? 1 : 0; });
}

// A file of a few bytes may claim to hold any number of them.
Status CheckFitsMemory(const DatasetInfo& info, const std::string& dataset, const std::string& path) {
  const uint64_t memory = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const uint64_t bytes = static_cast<uint64_t>(info.shape.num_elements()) * DTypeSize(info.dtype);
  if (bytes <= memory) return Status();
  return Error(Code::kResourceExhausted, "dataset '", dataset, "' of ", path, " has ", bytes,
               " bytes, more than this machine has memory");
}

Result<std::unique_ptr<Hdf5Structure>> OpenHere(const std::string& path, const Hdf5Rules& rules) {
  DF_ASSIGN(const Hdf5Library* const library, LoadHdf5());
  return library->Open(path, rules);
}

}  // namespace

Hdf5File::Hdf5File(FileDescriptor bytes, std::unique_ptr<Hdf5Structure> structure)
    : bytes_(std::move(bytes)), structure_(std::move(structure)) {}
Hdf5File::~Hdf5File() = default;

Result<std::unique_ptr<Hdf5File>> Hdf5File::Open(const std::string& path, const Hdf5Rules& rules) {
  DF_TRY(CheckMayBeHdf5(path));
  DF_ASSIGN(FileDescriptor bytes,
            rules.is_shard ? FileDescriptor::OpenRegular(path) : FileDescriptor::OpenForReading(path));
  DF_ASSIGN(std::unique_ptr<Hdf5Structure> structure,
            HasHdf5Helper() ? OpenStructureInHelper(path, rules) : OpenHere(path, rules));
  return std::unique_ptr<Hdf5File>(new Hdf5File(std::move(bytes), std::move(structure)));
}

Status Hdf5File::CheckInfo(const std::string& dataset, DatasetInfo& info) const {
  info.contiguous = info.contiguous && IsPlain(info.dtype) && !info.holds_lists;
  const int64_t rows = info.shape.rank() > 0 ? info.shape[0] : 0;
  info.chunk_rows = std::clamp<int64_t>(info.chunk_rows, 0, std::max<int64_t>(rows, 0));
  if (!info.contiguous) return Status();
  const uint64_t bytes = static_cast<uint64_t>(info.shape.num_elements()) * DTypeSize(info.dtype);
  DF_ASSIGN(const uint64_t size, bytes_.Size());
  if (bytes <= size && info.offset <= size - bytes) return Status();
  return Error(Code::kDataLoss, path(), " has ", size, " bytes: it ends before its dataset '", dataset, "'");
}

Result<DatasetInfo> Hdf5File::Inspect(const std::string& dataset) {
  DF_ASSIGN(DatasetInfo info, structure_->Inspect(dataset));
  DF_TRY(CheckInfo(dataset, info));
  return info;
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
    DF_TRY(structure_->Read(dataset, value));
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
    DF_TRY(structure_->ReadRows(dataset, begin, part));
  }
  return Status();
}

Status Hdf5File::ReadRows(const std::string& dataset, int64_t begin, Tensor& to) {
  DF_TRY(structure_->ReadRows(dataset, begin, to));
  MakeTrueBools(to);
  return Status();
}

void Hdf5File::CloseStructure() {
  structure_.reset();
}

}  // namespace dfrun
