#include "kernels/io/hdf5/hdf5_blocks.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

namespace dfrun {
namespace {

// The block size for a dataset that is not stored in chunks.
constexpr size_t kBlockBytes = size_t{1} << 20;

size_t RowBytes(const DatasetInfo& info) {
  return static_cast<size_t>(info.shape.num_elements() / info.shape[0]) * DTypeSize(info.dtype);
}

int64_t BlockRows(const DatasetInfo& info, size_t keep_bytes) {
  const auto fit = [&](size_t bytes) { return static_cast<int64_t>(bytes / std::max<size_t>(RowBytes(info), 1)); };
  const int64_t wanted = info.chunk_rows > 0 ? std::min(info.chunk_rows, fit(keep_bytes)) : fit(kBlockBytes);
  return std::clamp<int64_t>(wanted, 1, info.shape[0]);
}

}  // namespace

Hdf5Blocks::Hdf5Blocks(const DatasetInfo& info, std::shared_ptr<Hdf5BlockMemory> memory)
    : info_(info),
      row_bytes_(RowBytes(info)),
      block_rows_(BlockRows(info, memory->most_bytes())),
      memory_(std::move(memory)),
      dataset_(memory_->NewDataset()) {}

Hdf5Blocks::~Hdf5Blocks() {
  memory_->Drop(dataset_);
}

Status Hdf5Blocks::Gather(const ReadRowsFunction& read, std::span<const int64_t> rows, std::span<const int64_t> at,
                          char* to) {
  std::vector<size_t> order(rows.size());  // block by block, so that each is read once
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return rows[a] < rows[b]; });
  std::shared_ptr<const Tensor> block;
  int64_t number = -1;
  for (const size_t i : order) {
    if (rows[i] / block_rows_ != number) {
      number = rows[i] / block_rows_;
      DF_ASSIGN(block, BlockOf(read, number));
    }
    const char* from = static_cast<const char*>(block->raw()) + static_cast<size_t>(rows[i] % block_rows_) * row_bytes_;
    std::memcpy(to + static_cast<size_t>(at[i]) * row_bytes_, from, row_bytes_);
  }
  return Status();
}

Result<std::shared_ptr<const Tensor>> Hdf5Blocks::BlockOf(const ReadRowsFunction& read, int64_t number) {
  if (std::shared_ptr<const Tensor> kept = memory_->Find(dataset_, number)) return kept;
  const int64_t begin = number * block_rows_;
  Shape shape = info_.shape;
  shape.set_dim(0, std::min(block_rows_, info_.shape[0] - begin));
  DF_ASSIGN(Tensor rows, Tensor::Allocate(SystemAllocator(), info_.dtype, shape));
  DF_TRY(read(begin, rows));
  auto block = std::make_shared<const Tensor>(std::move(rows));
  memory_->Keep(dataset_, number, block);
  return std::shared_ptr<const Tensor>(std::move(block));
}

}  // namespace dfrun
