// Kernels of the diagonals of matrices, on any device. How bands of diagonals are moved is the device's:
//     // Writes the packed diagonals `x` into the matrices `y`, and `padding` (null: zero) beside them.
//     static Status Unpack(OpContext& ctx, const Band& band, const Tensor& x, const void* padding, Tensor& y);
//     // The other way round.
//     static Status Pack(OpContext& ctx, const Band& band, const Tensor& x, const void* padding, Tensor& y);
//     // The matrices `x` with the packed diagonals in them; y may be x.
//     static Status Replace(OpContext& ctx, const Band& band, const Tensor& x, const Tensor& diagonals, Tensor& y);
//     // The matrices `x` with zeros outside of `kept`.
//     static Status Keep(OpContext& ctx, const KeptBand& kept, const Tensor& x, Tensor& y);
// None of the tensors that they write is empty.
#ifndef DFRUN_KERNELS_ARRAY_MOVE_MATRIX_DIAG_KERNEL_H_
#define DFRUN_KERNELS_ARRAY_MOVE_MATRIX_DIAG_KERNEL_H_

#include <string_view>
#include <vector>

#include "kernels/array/move/matrix_diag.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

class MatrixDiagBase : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"k", "num_rows", "num_cols"};
  explicit MatrixDiagBase(KernelSetup& setup) : align_(DiagonalAlign::Read(setup.attrs())) {}

 protected:
  // The band of packed diagonals, input 0, with the sizes and the padding value that inputs 1 to 4 give from V2 on.
  Result<Band> BandOfPacked(const OpContext& ctx) const;
  // The band of matrices of shape `x`, with the diagonals that input `k` names where there is one.
  Result<Band> BandOfMatrices(const OpContext& ctx, const Shape& x, int k) const;
  // The value of input i, a scalar, where it lies; null where the op has no such input.
  static Result<const void*> Padding(const OpContext& ctx, int i);

 private:
  const DiagonalAlign align_;
};

// Inputs: the diagonals and, from V2 on, k, num_rows, num_cols and the padding value.
template <class Bands>
class MatrixDiagKernel : public MatrixDiagBase {
 public:
  using MatrixDiagBase::MatrixDiagBase;
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const Band band, BandOfPacked(ctx));
    const int packed = band.range.count() > 1 ? 2 : 1;
    std::vector<int64_t> dims(x.shape().dims().begin(), x.shape().dims().end() - packed);
    dims.insert(dims.end(), {band.rows, band.cols});
    DF_ASSIGN(const Shape shape, Shape::Create(dims));
    DF_ASSIGN(const void* const padding, Padding(ctx, 4));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    return shape.num_elements() == 0 ? Status() : Bands::Unpack(ctx, band, x, padding, *y);
  }
};

// Inputs: the matrices and, from V2 on, k and the padding value.
template <class Bands>
class MatrixDiagPartKernel : public MatrixDiagBase {
 public:
  using MatrixDiagBase::MatrixDiagBase;
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const Band band, BandOfMatrices(ctx, x.shape(), 1));
    DF_ASSIGN(const void* const padding, Padding(ctx, 2));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, BandShape(x.shape(), 2, band), &y));
    return y->num_elements() == 0 ? Status() : Bands::Pack(ctx, band, x, padding, *y);
  }
};

// Inputs: the matrices, the diagonals and, from V2 on, k.
template <class Bands>
class MatrixSetDiagKernel : public MatrixDiagBase {
 public:
  using MatrixDiagBase::MatrixDiagBase;
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    const Tensor& diagonal = ctx.input(1);
    DF_ASSIGN(const Band band, BandOfMatrices(ctx, x.shape(), 2));
    const Shape expected = BandShape(x.shape(), 2, band);
    if (!(diagonal.shape() == expected))
      return InvalidArgument("the diagonal has shape ", diagonal.shape(), ", but that of input ", x.shape(), " is ",
                             expected);
    Tensor* y = nullptr;
    DF_TRY(ctx.ForwardOrAllocate(0, 0, x.shape(), &y));
    return x.num_elements() == 0 ? Status() : Bands::Replace(ctx, band, x, diagonal, *y);
  }
};

// The diagonals that a matrix keeps: so many below the main one and above it.
struct KeptBand {
  int64_t rows;
  int64_t cols;
  int64_t lower;
  int64_t upper;
};

class MatrixBandPartBase : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"num_lower", "num_upper"};
  explicit MatrixBandPartBase(KernelSetup&) {}

 protected:
  static Result<KeptBand> ReadKept(const OpContext& ctx);
};

template <class Bands>
class MatrixBandPartKernel : public MatrixBandPartBase {
 public:
  using MatrixBandPartBase::MatrixBandPartBase;
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const KeptBand kept, ReadKept(ctx));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, x.shape(), &y));
    return x.num_elements() == 0 ? Status() : Bands::Keep(ctx, kept, x, *y);
  }
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_MOVE_MATRIX_DIAG_KERNEL_H_
