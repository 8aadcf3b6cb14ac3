#include "kernels/array/copy/strided_copy.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "kernels/array/copy/fill_elements.h"
#include "kernels/array/copy/transpose_tiles.h"
#include "kernels/array/element_size.h"
#include "src/base/integers.h"
#include "src/base/stream_store.h"

namespace dfrun {
namespace {

// Side of the squares that a transposition is cut into: 32 rows of a cache line each fit in the first cache.
constexpr int64_t kSquare = 32;
// Matrices with at least this many rows and columns are transposed in registers.
constexpr int64_t kMinTransposed = 2;
// Columns of a matrix that one thread transposes at a time.
constexpr int64_t kTransposedCols = 2048;
// Rows of a strip that one thread transposes at a time.
constexpr int64_t kStripUnitRows = 4096;
// A result from this size on is written past the caches: the lines that it takes are not read first, and it would not
// stay.
constexpr int64_t kStreamedBytes = int64_t{32} << 20;
// A copy whose two innermost dimensions are done at a time: `row` and, outside of it, `rows`.
struct Plan {
  std::vector<CopyDim> outer;
  CopyDim rows = {1, 0, 0};
  CopyDim row = {1, 1, 1};
  int64_t outer_count = 1;

  int64_t num_elements() const { return outer_count * rows.size * row.size; }
  // True where `rows` is contiguous in the source and `row` in the target.
  bool TransposesMatrices() const {
    return rows.from_stride == 1 && row.to_stride == 1 && row.from_stride != 0 && row.from_stride != 1 &&
           rows.size >= kMinTransposed && row.size >= kMinTransposed;
  }
};

Plan MakePlan(std::vector<CopyDim> dims) {
  Plan plan;
  if (!dims.empty()) {
    plan.row = dims.back();
    dims.pop_back();
  }
  if (plan.row.from_stride != 1 && plan.row.from_stride != 0) {
    // A transposition: walk the source's own rows inside squares.
    const auto along = std::find_if(dims.begin(), dims.end(), [](const CopyDim& d) { return d.from_stride == 1; });
    if (along != dims.end()) std::rotate(along, along + 1, dims.end());
  }
  if (!dims.empty()) {
    plan.rows = dims.back();
    dims.pop_back();
  }
  for (const CopyDim& d : dims) plan.outer_count *= d.size;
  plan.outer = std::move(dims);
  return plan;
}

// The first elements of the source and the target for an index of the outer dimensions.
template <class E>
std::pair<const E*, E*> AtOuterIndex(const Plan& plan, int64_t index, const E* from, E* to) {
  for (size_t d = plan.outer.size(); d-- > 0;) {
    const int64_t i = index % plan.outer[d].size;
    index /= plan.outer[d].size;
    from += i * plan.outer[d].from_stride;
    to += i * plan.outer[d].to_stride;
  }
  return {from, to};
}

template <class E>
void CopyRow(const E* from, E* to, const CopyDim& row, int64_t n) {
  if (row.to_stride == 1 && row.from_stride == 1) {
    std::copy_n(from, n, to);
  } else if (row.to_stride == 1 && row.from_stride == 0) {
    std::fill_n(to, n, *from);
  } else if (row.to_stride == 1 && row.from_stride == -1) {  // strides that the compiler has vector code for
    for (int64_t i = 0; i < n; ++i) to[i] = from[-i];
  } else if (row.to_stride == 1 && row.from_stride == 2) {
    for (int64_t i = 0; i < n; ++i) to[i] = from[2 * i];
  } else {
    for (int64_t i = 0; i < n; ++i) to[i * row.to_stride] = from[i * row.from_stride];
  }
}

// Copies a row around the caches; to_stride is 1.
template <class E>
void StreamRow(const E* from, E* to, const CopyDim& row, int64_t n) {
  if (row.from_stride == 1) return StreamCopy(to, from, static_cast<size_t>(n) * sizeof(E));
  if (row.from_stride == 0) return StreamFill(to, to + n, *from);
  constexpr int64_t kPiece = 1024 / sizeof(E);
  E piece[kPiece];
  for (int64_t i = 0; i < n; i += kPiece) {
    const int64_t count = std::min(kPiece, n - i);
    CopyRow(from + i * row.from_stride, piece, row, count);
    StreamCopy(to + i, piece, static_cast<size_t>(count) * sizeof(E));
  }
}

// True if rows of the copy go around the caches: they are long, and all together more than the caches hold.
template <class E>
bool StreamsRows(const Plan& plan) {
  constexpr int64_t kMinRow = 256 / sizeof(E);  // in shorter ones too few lines are whole
  return std::is_trivially_copyable_v<E> && plan.row.to_stride == 1 && plan.row.size >= kMinRow &&
         IsStreamed(plan.num_elements(), sizeof(E));
}

template <class E>
void CopyOrStreamRow(const E* from, E* to, const CopyDim& row, int64_t n, bool streams) {
  if constexpr (std::is_trivially_copyable_v<E>) {
    if (streams) return StreamRow(from, to, row, n);
  }
  CopyRow(from, to, row, n);
}

template <class E>
void CopyRows(const E* from, E* to, const Plan& plan, int64_t begin, int64_t end, bool streams) {
  const CopyDim& rows = plan.rows;
  const CopyDim& row = plan.row;
  if (row.from_stride == 1 || row.from_stride == 0 || rows.from_stride != 1) {
    for (int64_t r = begin; r < end; ++r)
      CopyOrStreamRow(from + r * rows.from_stride, to + r * rows.to_stride, row, row.size, streams);
    return;
  }
  for (int64_t c = 0; c < row.size; c += kSquare) {
    const int64_t width = std::min(kSquare, row.size - c);
    for (int64_t r = begin; r < end; ++r) {
      CopyRow(from + r * rows.from_stride + c * row.from_stride, to + r * rows.to_stride + c * row.to_stride, row,
              width);
    }
  }
}

// A unit of work: some rows and columns of the matrix of one outer index.
template <class E>
void CopyTransposed(ThreadPool& pool, const E* from, E* to, const Plan& plan) {
  const bool stream = plan.num_elements() * static_cast<int64_t>(sizeof(E)) >= kStreamedBytes;
  const bool strips = stream && IsStreamedInStrips(to, plan.rows.to_stride, plan.rows.size, plan.row.size);
  const int64_t unit_cols = std::min(plan.row.size, strips ? kStripCols<E> : kTransposedCols);
  const int64_t enough_rows = strips ? kStripUnitRows : std::max(kTransposeRows<E>, kCopyBlock / unit_cols);
  const int64_t unit_rows = std::min(plan.rows.size, enough_rows);
  const int64_t row_units = CeilDiv(plan.rows.size, unit_rows);
  const int64_t col_units = CeilDiv(plan.row.size, unit_cols);
  const int64_t block = std::max<int64_t>(1, kCopyBlock / (unit_rows * unit_cols));
  pool.ParallelFor(plan.outer_count * row_units * col_units, block, [&](int64_t begin, int64_t end) {
    for (int64_t u = begin; u < end; ++u) {
      const auto outer = AtOuterIndex(plan, u / (row_units * col_units), from, to);
      const int64_t r = u / col_units % row_units * unit_rows;
      const int64_t c = u % col_units * unit_cols;
      TransposeTiles(outer.first + r + c * plan.row.from_stride, plan.row.from_stride,
                     outer.second + r * plan.rows.to_stride + c, plan.rows.to_stride,
                     std::min(unit_rows, plan.rows.size - r), std::min(unit_cols, plan.row.size - c), stream);
    }
  });
}

template <class E>
void Copy(ThreadPool& pool, const E* from, E* to, const Plan& plan) {
  if constexpr (std::is_trivially_copyable_v<E>) {
    if (plan.TransposesMatrices()) return CopyTransposed(pool, from, to, plan);
  }
  const bool streams = StreamsRows<E>(plan);
  // A unit of work: some rows of one outer index; a single long row is cut itself.
  if (plan.outer_count == 1 && plan.rows.size == 1) {
    pool.ParallelFor(plan.row.size, kCopyBlock, [&](int64_t begin, int64_t end) {
      CopyOrStreamRow(from + begin * plan.row.from_stride, to + begin * plan.row.to_stride, plan.row, end - begin,
                      streams);
      StreamFence();
    });
    return;
  }
  const int64_t rows_per_unit =
      std::min(plan.rows.size, std::max(kSquare, kCopyBlock / std::max<int64_t>(1, plan.row.size)));
  const int64_t units_per_outer = CeilDiv(plan.rows.size, rows_per_unit);
  const int64_t units = plan.outer_count * units_per_outer;
  const int64_t units_per_block = std::max<int64_t>(1, kCopyBlock / (rows_per_unit * plan.row.size));
  pool.ParallelFor(units, units_per_block, [&](int64_t begin, int64_t end) {
    for (int64_t u = begin; u < end; ++u) {
      const auto outer = AtOuterIndex(plan, u / units_per_outer, from, to);
      const int64_t first = u % units_per_outer * rows_per_unit;
      CopyRows(outer.first, outer.second, plan, first, std::min(plan.rows.size, first + rows_per_unit), streams);
    }
    StreamFence();
  });
}

bool IsMultiple(const void* p, size_t bytes) {
  return reinterpret_cast<uintptr_t>(p) % bytes == 0;
}

// Short contiguous rows of plain elements become elements themselves, where everything lies at multiples of them.
// Returns the bytes of an element after that.
size_t WidenElements(size_t bytes, const void* from, const void* to, std::vector<CopyDim>& dims) {
  if (dims.size() < 2) return bytes;
  const CopyDim row = dims.back();
  const size_t wide = bytes * static_cast<size_t>(std::min<int64_t>(row.size, 32));
  const bool is_size = wide == 2 || wide == 4 || wide == 8 || wide == 16;
  if (row.from_stride != 1 || row.to_stride != 1 || !is_size || !IsMultiple(from, wide) || !IsMultiple(to, wide))
    return bytes;
  for (size_t d = 0; d + 1 < dims.size(); ++d) {
    if (dims[d].from_stride % row.size != 0 || dims[d].to_stride % row.size != 0) return bytes;
  }
  dims.pop_back();
  for (CopyDim& d : dims) d = {d.size, d.from_stride / row.size, d.to_stride / row.size};
  return wide;
}

}  // namespace

std::vector<CopyDim> MergeCopyDims(const std::vector<CopyDim>& dims) {
  std::vector<CopyDim> merged;
  for (const CopyDim& d : dims) {
    if (d.size == 1) continue;
    if (!merged.empty() && merged.back().from_stride == d.from_stride * d.size &&
        merged.back().to_stride == d.to_stride * d.size) {
      merged.back() = {merged.back().size * d.size, d.from_stride, d.to_stride};
    } else {
      merged.push_back(d);
    }
  }
  return merged;
}

void StridedCopy(ThreadPool& pool, DType dtype, const void* from, void* to, std::vector<CopyDim> dims) {
  for (const CopyDim& d : dims) {
    if (d.size == 0) return;
  }
  dims = MergeCopyDims(dims);
  const auto copy = [&](auto tag) {
    using E = typename decltype(tag)::type;
    Copy(pool, static_cast<const E*>(from), static_cast<E*>(to), MakePlan(std::move(dims)));
  };
  if (VisitObjectDType(dtype, copy)) return;
  const size_t bytes = WidenElements(DTypeSize(dtype), from, to, dims);
  VisitElementOfSize(bytes, copy);
}

std::vector<int64_t> RowMajorStrides(const Shape& shape) {
  std::vector<int64_t> strides(static_cast<size_t>(shape.rank()));
  int64_t stride = 1;
  for (int d = shape.rank() - 1; d >= 0; --d) {
    strides[d] = stride;
    stride *= shape.dim(d);
  }
  return strides;
}

std::vector<CopyDim> PermutedDims(const std::vector<int64_t>& sizes, const std::vector<int>& perm) {
  const Shape from{std::span<const int64_t>(sizes)};
  const std::vector<int64_t> from_strides = RowMajorStrides(from);
  std::vector<CopyDim> dims(perm.size());
  int64_t to_stride = 1;
  for (size_t d = perm.size(); d-- > 0;) {
    dims[d] = {sizes[perm[d]], from_strides[perm[d]], to_stride};
    to_stride *= dims[d].size;
  }
  return dims;
}

const void* ElementAt(const void* data, DType dtype, int64_t elements) {
  return static_cast<const std::byte*>(data) + elements * static_cast<int64_t>(DTypeSize(dtype));
}

void* ElementAt(void* data, DType dtype, int64_t elements) {
  return static_cast<std::byte*>(data) + elements * static_cast<int64_t>(DTypeSize(dtype));
}

}  // namespace dfrun
