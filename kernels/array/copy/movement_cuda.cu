#include "kernels/array/copy/movement_cuda.h"

#include <algorithm>

#include "kernels/array/element_size.h"
#include "kernels/device/cuda/runtime/launch.h"

namespace dfrun::cuda {
namespace {

// A block as a GPU walks it: dimensions outermost first, those that both layouts walk as one merged.
struct CopyBlock {
  static constexpr int kMaxDims = 8;
  int rank = 0;
  int64_t count = 1;
  CopyDim dims[kMaxDims];
};

// One element each. Index holds all elements and offsets of the block.
template <class E, class Index>
DF_DEVICE_KERNEL void CopyElementsOfBlock(const E* from, E* to, CopyBlock block) {
  const int64_t thread = GlobalThreadId();
  if (thread >= block.count) return;
  Index index = static_cast<Index>(thread);
  int64_t from_offset = 0;
  int64_t to_offset = 0;
  for (int d = block.rank - 1; d >= 0; --d) {
    const Index rest = index / static_cast<Index>(block.dims[d].size);
    const auto at = static_cast<int64_t>(index - rest * static_cast<Index>(block.dims[d].size));
    from_offset += at * block.dims[d].from_stride;
    to_offset += at * block.dims[d].to_stride;
    index = rest;
  }
  to[to_offset] = from[from_offset];
}

// A matrix, many of them by the index of `outer`, whose rows lie in one piece in one layout and whose columns do in the
// other. Tiles of it pass through the memory of a block of threads: both reading and writing are of neighbours.
struct CopyTiles {
  static constexpr int kTile = 32;
  CopyDim rows;     // to_stride 1
  CopyDim columns;  // from_stride 1
  CopyBlock outer;

  constexpr uint32_t Across() const { return static_cast<uint32_t>((columns.size + kTile - 1) / kTile); }
  constexpr uint32_t Down() const { return static_cast<uint32_t>((rows.size + kTile - 1) / kTile); }
};

template <class E>
DF_DEVICE_KERNEL void CopyThroughTiles(const E* from, E* to, CopyTiles tiles) {
  constexpr int kTile = CopyTiles::kTile;
  constexpr int kLines = kBlockThreads / kTile;
  constexpr int kPitch = kTile + 1;  // a column's elements are in different banks
  DF_DEVICE_SHARED(E, tile, kTile * kPitch);
  auto index = static_cast<uint32_t>(GlobalBlockId());
  const int64_t first_column = int64_t{index % tiles.Across()} * kTile;
  index /= tiles.Across();
  const int64_t first_row = int64_t{index % tiles.Down()} * kTile;
  index /= tiles.Down();
  for (int d = tiles.outer.rank - 1; d >= 0; --d) {
    const CopyDim& dim = tiles.outer.dims[d];
    const int64_t at = index % static_cast<uint32_t>(dim.size);
    from += at * dim.from_stride;
    to += at * dim.to_stride;
    index /= static_cast<uint32_t>(dim.size);
  }
  const int across = ThreadInBlock() % kTile;
  for (int down = ThreadInBlock() / kTile; down < kTile; down += kLines) {
    const int64_t row = first_row + down;
    const int64_t column = first_column + across;
    if (row < tiles.rows.size && column < tiles.columns.size)
      tile[down * kPitch + across] = from[row * tiles.rows.from_stride + column];
  }
  Barrier();
  for (int down = ThreadInBlock() / kTile; down < kTile; down += kLines) {
    const int64_t row = first_row + across;
    const int64_t column = first_column + down;
    if (row < tiles.rows.size && column < tiles.columns.size)
      to[column * tiles.columns.to_stride + row] = tile[across * kPitch + down];
  }
}

template <class E>
DF_DEVICE_KERNEL void FillWith(E* to, const E* value, int64_t n) {
  const int64_t i = GlobalThreadId();
  if (i < n) to[i] = *value;
}

// Halves the number of elements by taking two at a time; false where the layouts do not let it.
bool Widen(const void* from, const void* to, size_t bytes, std::vector<CopyDim>& dims) {
  if (dims.empty() || bytes >= sizeof(Bytes16)) return false;
  const auto fits = [&](const void* data) { return reinterpret_cast<uintptr_t>(data) % (2 * bytes) == 0; };
  if (!fits(from) || !fits(to)) return false;
  const CopyDim& inner = dims.back();
  if (inner.from_stride != 1 || inner.to_stride != 1 || inner.size % 2 != 0) return false;
  for (size_t d = 0; d + 1 < dims.size(); ++d) {
    if (dims[d].from_stride % 2 != 0 || dims[d].to_stride % 2 != 0) return false;
  }
  for (size_t d = 0; d + 1 < dims.size(); ++d) {
    dims[d].from_stride /= 2;
    dims[d].to_stride /= 2;
  }
  dims.back().size /= 2;
  return true;
}

CopyBlock BlockOf(const std::vector<CopyDim>& dims) {
  CopyBlock block;
  for (const CopyDim& dim : dims) {
    block.dims[block.rank++] = dim;
    block.count *= dim.size;
  }
  return block;
}

// Copies by tiles; false where the two layouts walk along the same dimension, or along one so short that most of a tile
// would be empty.
bool CopiesByTiles(OpContext& ctx, DType dtype, const void* from, void* to, const std::vector<CopyDim>& dims,
                   Status& status) {
  constexpr int64_t kShortest = CopyTiles::kTile / 2;
  const auto find = [&](int64_t CopyDim::*stride) {
    return std::find_if(dims.begin(), dims.end(), [&](const CopyDim& dim) { return dim.*stride == 1 && dim.size > 1; });
  };
  const auto rows = find(&CopyDim::to_stride);
  const auto columns = find(&CopyDim::from_stride);
  if (rows == dims.end() || columns == dims.end() || rows == columns) return false;
  if (rows->size < kShortest || columns->size < kShortest) return false;
  std::vector<CopyDim> outer;
  for (auto dim = dims.begin(); dim != dims.end(); ++dim) {
    if (dim != rows && dim != columns) outer.push_back(*dim);
  }
  const CopyTiles tiles = {*rows, *columns, BlockOf(outer)};
  VisitElementOfSize(DTypeSize(dtype), [&](auto tag) {
    using E = typename decltype(tag)::type;
    status = LaunchWithBarriers(ctx, tiles.outer.count * tiles.Down() * tiles.Across(), &CopyThroughTiles<E>,
                                static_cast<const E*>(from), static_cast<E*>(to), tiles);
  });
  return true;
}

// Copies the parts of a block of more dimensions than a GPU walks: one for each index of its first.
Status CopyByFirst(OpContext& ctx, DType dtype, const void* from, void* to, std::vector<CopyDim> dims) {
  const CopyDim first = dims.front();
  dims.erase(dims.begin());
  for (int64_t i = 0; i < first.size; ++i) {
    DF_TRY(Movement::Copy(ctx, dtype, ElementAt(from, dtype, i * first.from_stride),
                          ElementAt(to, dtype, i * first.to_stride), dims));
  }
  return Status();
}

}  // namespace

Status Movement::Copy(OpContext& ctx, DType dtype, const void* from, void* to, const std::vector<CopyDim>& given) {
  std::vector<CopyDim> dims = MergeCopyDims(given);
  if (dims.size() > CopyBlock::kMaxDims) return CopyByFirst(ctx, dtype, from, to, std::move(dims));
  Status status;
  if (CopiesByTiles(ctx, dtype, from, to, dims, status)) return status;
  size_t bytes = DTypeSize(dtype);
  while (Widen(from, to, bytes, dims)) bytes *= 2;
  const CopyBlock block = BlockOf(dims);
  VisitElementOfSize(bytes, [&](auto tag) {
    using E = typename decltype(tag)::type;
    const auto kernel =
        block.count <= INT32_MAX ? &CopyElementsOfBlock<E, uint32_t> : &CopyElementsOfBlock<E, uint64_t>;
    status = Launch(ctx, block.count, kernel, static_cast<const E*>(from), static_cast<E*>(to), block);
  });
  return status;
}

Status Movement::Fill(OpContext& ctx, Tensor& to, const void* value) {
  if (value == nullptr) return EnqueueZeros(ctx, to.raw(), to.num_bytes());
  Status status;
  VisitElementOfSize(DTypeSize(to.dtype()), [&](auto tag) {
    using E = typename decltype(tag)::type;
    status = Launch(ctx, to.num_elements(), &FillWith<E>, static_cast<E*>(to.raw()), static_cast<const E*>(value),
                    to.num_elements());
  });
  return status;
}

namespace {

Status MoveParts(OpContext& ctx, const AxisParts& parts, const Tensor& whole, bool into_whole) {
  const DType dtype = whole.dtype();
  int64_t begin = 0;
  for (const AxisParts::Part& part : parts.parts()) {
    void* const at = ElementAt(const_cast<void*>(whole.raw()), dtype, begin);
    if (into_whole) {
      DF_TRY(Movement::Copy(ctx, dtype, part.data, at, {{parts.outer(), part.run, parts.row()}, {part.run, 1, 1}}));
    } else {
      DF_TRY(Movement::Copy(ctx, dtype, at, part.data, {{parts.outer(), parts.row(), part.run}, {part.run, 1, 1}}));
    }
    begin += part.run;
  }
  return Status();
}

}  // namespace

Status Movement::Join(OpContext& ctx, const AxisParts& parts, Tensor& whole) {
  return MoveParts(ctx, parts, whole, /*into_whole=*/true);
}

Status Movement::Cut(OpContext& ctx, const AxisParts& parts, const Tensor& whole) {
  return MoveParts(ctx, parts, whole, /*into_whole=*/false);
}

}  // namespace dfrun::cuda
