#include "kernels/io/hdf5_blocks.h"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

namespace dfrun {
namespace {

// Of a dataset that is not stored in chunks.
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

Hdf5Blocks::Hdf5Blocks(const DatasetInfo& info, size_t keep_bytes)
    : info_(info),
      row_bytes_(RowBytes(info)),
      block_rows_(BlockRows(info, keep_bytes)),
      max_blocks_(
          std::max<size_t>(1, keep_bytes / std::max<size_t>(1, row_bytes_ * static_cast<size_t>(block_rows_)))) {}

Status Hdf5Blocks::Gather(const ReadRowsFunction& read, std::span<const int64_t> rows, std::span<const int64_t> at,
                          char* to) {
  std::vector<size_t> order(rows.size());  // block by block, so that each is read once
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return rows[a] < rows[b]; });
  for (const size_t i : order) {
    DF_ASSIGN(const Tensor* const block, BlockOf(read, rows[i] / block_rows_));
    const char* from = static_cast<const char*>(block->raw()) + static_cast<size_t>(rows[i] % block_rows_) * row_bytes_;
    std::memcpy(to + static_cast<size_t>(at[i]) * row_bytes_, from, row_bytes_);
  }
  return Status();
}

Result<const Tensor*> Hdf5Blocks::BlockOf(const ReadRowsFunction& read, int64_t number) {
  auto it = blocks_.find(number);
  if (it == blocks_.end()) {
    const int64_t begin = number * block_rows_;
    Shape shape = info_.shape;
    shape.set_dim(0, std::min(block_rows_, info_.shape[0] - begin));
    DF_ASSIGN(Tensor rows, Tensor::Allocate(SystemAllocator(), info_.dtype, shape));
    DF_TRY(read(begin, rows));
    if (blocks_.size() >= max_blocks_) DropOldest();
    it = blocks_.emplace(number, Block{std::move(rows)}).first;
  }
  it->second.last_used = ++uses_;
  return static_cast<const Tensor*>(&it->second.rows);
}

void Hdf5Blocks::DropOldest() {
  blocks_.erase(std::min_element(blocks_.begin(), blocks_.end(),
                                 [](const auto& a, const auto& b) { return a.second.last_used < b.second.last_used; }));
}

}  // namespace dfrun
