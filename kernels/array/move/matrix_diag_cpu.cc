#include <algorithm>

#include "kernels/array/copy/strided_copy.h"
#include "kernels/array/element_size.h"
#include "kernels/array/move/matrix_diag_kernel.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

// Calls f(begin, end) for blocks of the batch of about as many elements as a thread should take.
template <class F>
void ForEachBatch(OpContext& ctx, int64_t batches, int64_t elements, const F& f) {
  ctx.pool().ParallelFor(batches, std::max<int64_t>(1, kCopyBlock / std::max<int64_t>(1, elements)), f);
}

// Writes the packed diagonals into a matrix.
template <class E>
void Unpack(const Band& band, const E* packed, E* matrix) {
  for (int64_t d = band.range.lower; d <= band.range.upper; ++d) {
    for (int64_t i = 0; i < band.Length(d); ++i)
      matrix[band.MatrixBegin(d) + i * (band.cols + 1)] = packed[band.Begin(d) + i];
  }
}

template <class E>
void Pack(const Band& band, const E* matrix, E* packed) {
  for (int64_t d = band.range.lower; d <= band.range.upper; ++d) {
    const E* from = matrix + band.MatrixBegin(d);
    E* to = packed + band.Begin(d);
    for (int64_t i = 0; i < band.Length(d); ++i) to[i] = from[i * (band.cols + 1)];
  }
}

// Fills parts of y, of `to_size` elements, with the padding and calls write(part of x, part of y) for each.
template <class Write>
Status FillAndWrite(OpContext& ctx, const Tensor& x, int64_t from_size, const void* padding, Tensor& y, int64_t to_size,
                    const Write& write) {
  VisitElement(x.dtype(), [&](auto tag) {
    using E = typename decltype(tag)::type;
    const E value = padding != nullptr ? *static_cast<const E*>(padding) : E();
    ForEachBatch(ctx, y.num_elements() / to_size, to_size, [&](int64_t begin, int64_t end) {
      E* to = static_cast<E*>(y.raw());
      std::fill(to + begin * to_size, to + end * to_size, value);
      for (int64_t b = begin; b < end; ++b) write(static_cast<const E*>(x.raw()) + b * from_size, to + b * to_size);
    });
  });
  return Status();
}

struct Bands {
  static Status Unpack(OpContext& ctx, const Band& band, const Tensor& x, const void* padding, Tensor& y) {
    return FillAndWrite(ctx, x, band.size(), padding, y, band.rows * band.cols,
                        [&](const auto* from, auto* to) { dfrun::Unpack(band, from, to); });
  }
  static Status Pack(OpContext& ctx, const Band& band, const Tensor& x, const void* padding, Tensor& y) {
    return FillAndWrite(ctx, x, band.rows * band.cols, padding, y, band.size(),
                        [&](const auto* from, auto* to) { dfrun::Pack(band, from, to); });
  }
  static Status Replace(OpContext& ctx, const Band& band, const Tensor& x, const Tensor& diagonals, Tensor& y) {
    const bool in_place = y.raw() == x.raw();
    const int64_t size = band.rows * band.cols;
    VisitElement(y.dtype(), [&](auto tag) {
      using E = typename decltype(tag)::type;
      const E* from = in_place ? nullptr : static_cast<const E*>(x.raw());
      ForEachBatch(ctx, y.num_elements() / size, size, [&](int64_t begin, int64_t end) {
        E* to = static_cast<E*>(y.raw());
        if (from != nullptr) std::copy(from + begin * size, from + end * size, to + begin * size);
        for (int64_t b = begin; b < end; ++b)
          dfrun::Unpack(band, static_cast<const E*>(diagonals.raw()) + b * band.size(), to + b * size);
      });
    });
    return Status();
  }
  static Status Keep(OpContext& ctx, const KeptBand& kept, const Tensor& x, Tensor& y) {
    const int64_t cols = kept.cols;
    VisitElement(x.dtype(), [&](auto tag) {
      using E = typename decltype(tag)::type;
      ForEachBatch(ctx, x.num_elements() / cols, cols, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          const E* from = static_cast<const E*>(x.raw()) + r * cols;
          E* to = static_cast<E*>(y.raw()) + r * cols;
          const int64_t row = r % kept.rows;
          const int64_t first = std::clamp<int64_t>(row - kept.lower, 0, cols);
          const int64_t last = row < cols - kept.upper ? row + kept.upper + 1 : cols;
          std::fill(to, to + first, E());
          std::copy(from + first, from + std::max(first, last), to + first);
          std::fill(to + std::max(first, last), to + cols, E());
        }
      });
    });
    return Status();
  }
};

CPU_KERNEL_ANY("MatrixDiag", MatrixDiagKernel<Bands>);
CPU_KERNEL_ANY("MatrixDiagV2", MatrixDiagKernel<Bands>);
CPU_KERNEL_ANY("MatrixDiagV3", MatrixDiagKernel<Bands>);
CPU_KERNEL_ANY("MatrixDiagPart", MatrixDiagPartKernel<Bands>);
CPU_KERNEL_ANY("MatrixDiagPartV2", MatrixDiagPartKernel<Bands>);
CPU_KERNEL_ANY("MatrixDiagPartV3", MatrixDiagPartKernel<Bands>);
CPU_KERNEL_ANY("MatrixSetDiag", MatrixSetDiagKernel<Bands>);
CPU_KERNEL_ANY("MatrixSetDiagV2", MatrixSetDiagKernel<Bands>);
CPU_KERNEL_ANY("MatrixSetDiagV3", MatrixSetDiagKernel<Bands>);
CPU_KERNEL_ANY("MatrixBandPart", MatrixBandPartKernel<Bands>);

}  // namespace
}  // namespace dfrun
