#include <complex>

#include "kernels/device/cpu_kernel.h"
#include "kernels/linalg/equations.h"
#include "kernels/linalg/lu.h"
#include "kernels/linalg/triangular.h"
#include "kernels/matrix/batch_pairs.h"
#include "src/framework/element_types.h"
#include "src/framework/kernel_of.h"

namespace dfrun {
namespace {

template <class T>
class MatrixSolveKernel final : public Kernel {
 public:
  explicit MatrixSolveKernel(KernelSetup& setup) : adjoint_(setup.attr<bool>("adjoint")) {}

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const Equations e, EquationsOf(ctx));
    DF_TRY(CheckSameBatch(ctx.input(0).shape(), ctx.input(1).shape()));
    Tensor* x = nullptr;
    DF_TRY(ctx.AllocateOutput(0, ctx.input(1).shape(), &x));
    if (x->num_elements() == 0) return Status();
    const auto n = static_cast<double>(e.matrix.rows);
    return ForEachMatrix(ctx.pool(), e.matrix.count, e.work() + n * n * n / 3, [&](int64_t i) {
      const int64_t at = i * e.rhs.elements();
      return SolveMatrix(ctx.input(0).data<T>() + i * e.matrix.elements(), ctx.input(1).data<T>() + at, e.matrix.rows,
                         e.rhs.columns, adjoint_, x->data<T>() + at);
    });
  }
  bool IsExpensive() const override { return true; }

 private:
  const bool adjoint_;
};

template <class T>
class MatrixTriangularSolveKernel final : public Kernel {
 public:
  explicit MatrixTriangularSolveKernel(KernelSetup& setup)
      : lower_(setup.attr<bool>("lower")), adjoint_(setup.attr<bool>("adjoint")) {}

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const Equations e, EquationsOf(ctx));
    DF_ASSIGN(BatchPairs pairs, PairMatrices(ctx.input(0).shape(), ctx.input(1).shape()));
    pairs.dims.push_back(e.rhs.rows);
    pairs.dims.push_back(e.rhs.columns);
    DF_ASSIGN(const Shape shape, Shape::Create(pairs.dims));
    Tensor* x = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &x));
    return ForEachMatrix(ctx.pool(), static_cast<int64_t>(pairs.x.size()), e.work(), [&](int64_t i) {
      const auto pair = static_cast<size_t>(i);
      SolveTriangular(ctx.input(0).data<T>() + pairs.x[pair] * e.matrix.elements(),
                      ctx.input(1).data<T>() + pairs.y[pair] * e.rhs.elements(), e.matrix.rows, e.rhs.columns, lower_,
                      adjoint_, x->data<T>() + i * e.rhs.elements());
      return Status();
    });
  }
  bool IsExpensive() const override { return true; }

 private:
  const bool lower_;
  const bool adjoint_;
};

CPU_KERNEL("MatrixSolve", KernelOf<MatrixSolveKernel>, float, double, DF_COMPLEX);
CPU_KERNEL("MatrixTriangularSolve", KernelOf<MatrixTriangularSolveKernel>, float, double, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
