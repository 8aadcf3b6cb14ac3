#include <algorithm>

#include "kernels/array/element_size.h"
#include "kernels/array/int_values.h"
#include "kernels/array/matrix_diag.h"
#include "kernels/array/strided_copy.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

Status CheckPadding(const Tensor& value) {
  if (value.shape().rank() == 0) return Status();
  return InvalidArgument("padding_value has shape ", value.shape(), ", but must be a scalar");
}

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

// Inputs: the diagonals and, from V2 on, k, num_rows, num_cols and the padding value.
class MatrixDiagKernel : public Kernel {
 public:
  explicit MatrixDiagKernel(KernelSetup& setup) : align_(DiagonalAlign::Read(setup.attrs())) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const Band band, MakeBand(ctx));
    const int packed = band.range.count() > 1 ? 2 : 1;
    std::vector<int64_t> dims(x.shape().dims().begin(), x.shape().dims().end() - packed);
    dims.insert(dims.end(), {band.rows, band.cols});
    DF_ASSIGN(const Shape shape, Shape::Create(dims));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    if (shape.num_elements() == 0) return Status();
    const int64_t size = band.rows * band.cols;
    VisitElement(x.dtype(), [&](auto tag) {
      using E = typename decltype(tag)::type;
      const E padding = ctx.num_inputs() > 1 ? *static_cast<const E*>(ctx.input(4).raw()) : E();
      ForEachBatch(ctx, shape.num_elements() / size, size, [&](int64_t begin, int64_t end) {
        E* to = static_cast<E*>(y->raw());
        std::fill(to + begin * size, to + end * size, padding);
        for (int64_t b = begin; b < end; ++b)
          Unpack(band, static_cast<const E*>(x.raw()) + b * band.size(), to + b * size);
      });
    });
    return Status();
  }

 private:
  Result<Band> MakeBand(const OpContext& ctx) const {
    const Shape& x = ctx.input(0).shape();
    if (x.rank() == 0) return InvalidArgument("the diagonal must be a vector or of higher rank, not a scalar");
    DiagonalRange range;
    int64_t rows = -1;
    int64_t cols = -1;
    if (ctx.num_inputs() > 1) {
      DF_ASSIGN(range, ReadDiagonalRange(ctx.input(1)));
      DF_ASSIGN(rows, IntScalar(ctx.input(2), "num_rows"));
      DF_ASSIGN(cols, IntScalar(ctx.input(3), "num_cols"));
      DF_TRY(CheckPadding(ctx.input(4)));
    }
    if (range.count() > 1 && (x.rank() < 2 || x.dim(x.rank() - 2) != range.count()))
      return InvalidArgument("a diagonal of shape ", x, " does not hold ", range.count(), " diagonals");
    DF_ASSIGN(Band band, BandOfDiagonals(range, x.dim(x.rank() - 1), rows, cols));
    band.align = align_;
    return band;
  }

  const DiagonalAlign align_;
};

// The band of the matrices of a shape that input `k` names, where the op has such an input.
Result<Band> BandOfMatrices(const OpContext& ctx, const Shape& x, int k, const DiagonalAlign& align) {
  if (x.rank() < 2) return InvalidArgument("the input must hold matrices, but has shape ", x);
  Band band;
  band.rows = x.dim(x.rank() - 2);
  band.cols = x.dim(x.rank() - 1);
  band.align = align;
  if (k < ctx.num_inputs()) {
    DF_ASSIGN(band.range, ReadDiagonalRange(ctx.input(k)));
  }
  DF_TRY(CheckDiagonalRange(band.range, band.rows, band.cols));
  return band;
}

// Inputs: the matrices and, from V2 on, k and the padding value.
class MatrixDiagPartKernel : public Kernel {
 public:
  explicit MatrixDiagPartKernel(KernelSetup& setup) : align_(DiagonalAlign::Read(setup.attrs())) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const Band band, BandOfMatrices(ctx, x.shape(), 1, align_));
    if (ctx.num_inputs() > 1) DF_TRY(CheckPadding(ctx.input(2)));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, BandShape(x.shape(), 2, band), &y));
    if (y->num_elements() == 0) return Status();
    VisitElement(x.dtype(), [&](auto tag) {
      using E = typename decltype(tag)::type;
      const E padding = ctx.num_inputs() > 1 ? *static_cast<const E*>(ctx.input(2).raw()) : E();
      ForEachBatch(ctx, y->num_elements() / band.size(), band.size(), [&](int64_t begin, int64_t end) {
        E* to = static_cast<E*>(y->raw());
        std::fill(to + begin * band.size(), to + end * band.size(), padding);
        for (int64_t b = begin; b < end; ++b)
          Pack(band, static_cast<const E*>(x.raw()) + b * band.rows * band.cols, to + b * band.size());
      });
    });
    return Status();
  }

 private:
  template <class E>
  static void Pack(const Band& band, const E* matrix, E* packed) {
    for (int64_t d = band.range.lower; d <= band.range.upper; ++d) {
      const E* from = matrix + band.MatrixBegin(d);
      E* to = packed + band.Begin(d);
      for (int64_t i = 0; i < band.Length(d); ++i) to[i] = from[i * (band.cols + 1)];
    }
  }

  const DiagonalAlign align_;
};

// Inputs: the matrices, the diagonals and, from V2 on, k.
class MatrixSetDiagKernel : public Kernel {
 public:
  explicit MatrixSetDiagKernel(KernelSetup& setup) : align_(DiagonalAlign::Read(setup.attrs())) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    const Tensor& diagonal = ctx.input(1);
    DF_ASSIGN(const Band band, BandOfMatrices(ctx, x.shape(), 2, align_));
    const Shape expected = BandShape(x.shape(), 2, band);
    if (!(diagonal.shape() == expected))
      return InvalidArgument("the diagonal has shape ", diagonal.shape(), ", but that of input ", x.shape(), " is ",
                             expected);
    Tensor* y = nullptr;
    DF_TRY(ctx.ForwardOrAllocate(0, 0, x.shape(), &y));
    const bool in_place = y->raw() == x.raw();
    if (x.num_elements() == 0) return Status();
    const int64_t size = band.rows * band.cols;
    VisitElement(y->dtype(), [&](auto tag) {
      using E = typename decltype(tag)::type;
      const E* from = in_place ? nullptr : static_cast<const E*>(x.raw());
      ForEachBatch(ctx, y->num_elements() / size, size, [&](int64_t begin, int64_t end) {
        E* to = static_cast<E*>(y->raw());
        if (from != nullptr) std::copy(from + begin * size, from + end * size, to + begin * size);
        for (int64_t b = begin; b < end; ++b)
          Unpack(band, static_cast<const E*>(diagonal.raw()) + b * band.size(), to + b * size);
      });
    });
    return Status();
  }

 private:
  const DiagonalAlign align_;
};

class MatrixBandPartKernel : public Kernel {
 public:
  explicit MatrixBandPartKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    if (x.shape().rank() < 2) return InvalidArgument("the input must hold matrices, but has shape ", x.shape());
    const int64_t rows = x.shape().dim(x.shape().rank() - 2);
    const int64_t cols = x.shape().dim(x.shape().rank() - 1);
    DF_ASSIGN(const int64_t lower, Count(ctx.input(1), rows, "num_lower"));
    DF_ASSIGN(const int64_t upper, Count(ctx.input(2), cols, "num_upper"));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, x.shape(), &y));
    if (x.num_elements() == 0) return Status();
    VisitElement(x.dtype(), [&](auto tag) {
      using E = typename decltype(tag)::type;
      ForEachBatch(ctx, x.num_elements() / cols, cols, [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          const E* from = static_cast<const E*>(x.raw()) + r * cols;
          E* to = static_cast<E*>(y->raw()) + r * cols;
          const int64_t row = r % rows;
          const int64_t first = std::clamp<int64_t>(row - lower, 0, cols);
          const int64_t last = row < cols - upper ? row + upper + 1 : cols;
          std::fill(to, to + first, E());
          std::copy(from + first, from + std::max(first, last), to + first);
          std::fill(to + std::max(first, last), to + cols, E());
        }
      });
    });
    return Status();
  }

 private:
  // A number of diagonals up to `most`; all of them where it is negative.
  static Result<int64_t> Count(const Tensor& value, int64_t most, std::string_view what) {
    DF_ASSIGN(const int64_t count, IntScalar(value, what));
    if (count > most) return InvalidArgument(what, " must be a number of at most ", most, ", but is ", count);
    return count < 0 ? most : count;
  }
};

CPU_KERNEL_ANY("MatrixDiag", MatrixDiagKernel);
CPU_KERNEL_ANY("MatrixDiagV2", MatrixDiagKernel);
CPU_KERNEL_ANY("MatrixDiagV3", MatrixDiagKernel);
CPU_KERNEL_ANY("MatrixDiagPart", MatrixDiagPartKernel);
CPU_KERNEL_ANY("MatrixDiagPartV2", MatrixDiagPartKernel);
CPU_KERNEL_ANY("MatrixDiagPartV3", MatrixDiagPartKernel);
CPU_KERNEL_ANY("MatrixSetDiag", MatrixSetDiagKernel);
CPU_KERNEL_ANY("MatrixSetDiagV2", MatrixSetDiagKernel);
CPU_KERNEL_ANY("MatrixSetDiagV3", MatrixSetDiagKernel);
CPU_KERNEL_ANY("MatrixBandPart", MatrixBandPartKernel);

}  // namespace
}  // namespace dfrun
