#include <algorithm>
#include <cstring>
#include <type_traits>
#include <vector>

#include "kernels/array/element_size.h"
#include "kernels/array/index/gather_loops.h"
#include "kernels/device/cpu_kernel.h"
#include "src/base/stream_store.h"

namespace dfrun {
namespace {

// Elements that a thread copies at a time: some 10 us.
constexpr int64_t kBlock = 65536;
// The size of a block that is written around the caches. It is larger because the first rows of a block are not
// prefetched.
constexpr int64_t kStreamedBlock = 8 * kBlock;

// From this size on, rows of a large result are written around the caches one by one: most of their lines are whole.
constexpr size_t kStreamedRowBytes = 512;

// A short row, in chunks that are moved by an instruction each; the last may overlap the one before.
template <class E>
void CopyShortRow(const E* from, E* to, int64_t n) {
  constexpr int64_t kChunk = 16 / sizeof(E);
  if (n < kChunk) {
    for (int64_t i = 0; i < n; ++i) to[i] = from[i];
    return;
  }
  for (int64_t i = 0; i < n; i += kChunk) {
    const int64_t at = std::min(i, n - kChunk);
    std::memcpy(to + at, from + at, sizeof(E) * kChunk);
  }
}

// Rows of one slice: `row` elements of `from` at each of its `count` indices. A call copies those of [begin, end).
template <class E, class Index>
struct SliceRows {
  const E* from;
  const Index* indices;
  int64_t count;
  int64_t row;

  const E* At(int64_t i) const { return from + static_cast<int64_t>(indices[i]) * row; }

  void Copy(E* to, int64_t begin, int64_t end) const {
    if (row == 1) {
      for (int64_t i = begin; i < end; ++i) to[i - begin] = *At(i);
      return;
    }
    if constexpr (std::is_trivially_copyable_v<E>) {
      constexpr int64_t kShortRow = 512 / sizeof(E);
      if (row <= kShortRow) return CopyShort(to, begin, end);
    }
    constexpr int64_t kAhead = 2;
    for (int64_t i = begin; i < end; ++i) {
      if (i + kAhead < end) PrefetchLines(At(i + kAhead), static_cast<size_t>(row) * sizeof(E));
      std::copy_n(At(i), row, to + (i - begin) * row);
    }
  }
  // Copies short rows. Each is prefetched some rows ahead, since the processor cannot predict its address.
  void CopyShort(E* to, int64_t begin, int64_t end) const {
    constexpr int64_t kAhead = 16;
    for (int64_t i = begin; i < end; ++i) {
      if (i + kAhead < count) PrefetchLines(At(i + kAhead), static_cast<size_t>(row) * sizeof(E));
      CopyShortRow(At(i), to + (i - begin) * row, row);
    }
  }
  void Stream(E* to, int64_t begin, int64_t end) const {
    const size_t bytes = static_cast<size_t>(row) * sizeof(E);
    int64_t i = begin;
    for (; i + kStreamedRows <= end; i += kStreamedRows) {
      RowPointers now;
      RowPointers next;
      for (int r = 0; r < kStreamedRows; ++r) {
        now[r] = reinterpret_cast<const std::byte*>(At(i + r));
        next[r] = reinterpret_cast<const std::byte*>(At(std::min(i + kStreamedRows + r, count - 1)));
      }
      StreamRows(next, to + (i - begin) * row, now, bytes);
    }
    for (; i < end; ++i) StreamCopy(to + (i - begin) * row, At(i), bytes);
  }
};

template <class E, class Index>
void Gather(ThreadPool& pool, const GatherLoops& g, const E* from, const Index* indices, E* to) {
  const int64_t rows = g.batches * g.before * g.indices;
  const int64_t block = std::max<int64_t>(1, kBlock / std::max<int64_t>(1, g.row));
  const size_t row_bytes = static_cast<size_t>(g.row) * sizeof(E);
  // Rows [begin, end) of the result, slice by slice: copy(rows of the slice, the row of the result, begin, end).
  const auto for_slices = [&](int64_t begin, int64_t end, auto&& copy) {
    while (begin < end) {
      const int64_t slice = begin / g.indices;  // batch and slice before the axis
      const int64_t first = slice * g.indices;
      const int64_t stop = std::min(end, first + g.indices);
      const SliceRows<E, Index> in_slice = {from + slice * g.size * g.row, indices + slice / g.before * g.indices,
                                            g.indices, g.row};
      copy(in_slice, begin, begin - first, stop - first);
      begin = stop;
    }
  };
  const auto copy_rows = [&](int64_t begin, int64_t end, E* target) {
    for_slices(begin, end, [&](const auto& slice, int64_t at, int64_t first, int64_t last) {
      slice.Copy(target + (at - begin) * g.row, first, last);
    });
  };
  if constexpr (std::is_trivially_copyable_v<E>) {
    if (IsStreamed(rows, row_bytes)) {
      pool.ParallelFor(rows, kStreamedBlock / kBlock * block, [&](int64_t begin, int64_t end) {
        if (row_bytes < kStreamedRowBytes) {
          return StreamPieces(to, row_bytes, begin, end, [&](int64_t at, int64_t n, void* piece) {
            copy_rows(at, at + n, static_cast<E*>(piece));
          });
        }
        for_slices(begin, end, [&](const auto& slice, int64_t at, int64_t first, int64_t last) {
          slice.Stream(to + at * g.row, first, last);
        });
        StreamFence();
      });
      return;
    }
  }
  pool.ParallelFor(rows, block, [&](int64_t begin, int64_t end) { copy_rows(begin, end, to + begin * g.row); });
}

template <class Index>
Status CheckIndices(const Tensor& indices, int64_t size) {
  for (Index index : indices.values<Index>()) {
    if (index < 0 || index >= size)
      return InvalidArgument("index ", index, " is not in [0, ", size, "), the range of the gathered dimension");
  }
  return Status();
}

Status GatherAlong(OpContext& ctx, int64_t axis, int64_t batch_dims) {
  const Tensor& params = ctx.input(0);
  const Tensor& indices = ctx.input(1);
  Shape shape;
  DF_ASSIGN(const GatherLoops loops, GatherLoops::Of(params.shape(), indices.shape(), axis, batch_dims, shape));
  Tensor* y = nullptr;
  DF_TRY(ctx.AllocateOutput(0, shape, &y));
  Status status;
  VisitDType<int16_t, int32_t, int64_t>(indices.dtype(), [&](auto index_tag) {
    using Index = typename decltype(index_tag)::type;
    if (shape.num_elements() == 0) return;  // then the indices may be any
    status = CheckIndices<Index>(indices, loops.size);
    if (!status.ok()) return;
    VisitElement(params.dtype(), [&](auto tag) {
      using E = typename decltype(tag)::type;
      Gather(ctx.pool(), loops, static_cast<const E*>(params.raw()), indices.data<Index>(), static_cast<E*>(y->raw()));
    });
  });
  return status;
}

class GatherKernel : public Kernel {
 public:
  explicit GatherKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    if (ctx.input(0).shape().rank() == 0) return InvalidArgument("Gather from a scalar");
    return GatherAlong(ctx, 0, 0);
  }
};

class GatherV2Kernel : public Kernel {
 public:
  explicit GatherV2Kernel(KernelSetup& setup) : batch_dims_(setup.attr<int64_t>("batch_dims")) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const GatherAxis at, ReadGatherAxis(ctx, batch_dims_));
    return GatherAlong(ctx, at.axis, at.batch_dims);
  }

 private:
  const int64_t batch_dims_;
};

CPU_KERNEL_ANY("Gather", GatherKernel);
CPU_KERNEL_ANY("GatherV2", GatherV2Kernel);

}  // namespace
}  // namespace dfrun
