#include <complex>

#include "kernels/device/cpu_kernel.h"
#include "kernels/linalg/equations.h"
#include "kernels/linalg/lu.h"
#include "kernels/linalg/triangular.h"
#include "kernels/matrix/batch_pairs.h"
#include "src/framework/kernel/kernel_of.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

template <class T>
class MatrixSolveKernel final : public Kernel {
 public:
  explicit MatrixSolveKernel(KernelSetup& setup) : adjoint_(setup.attr<bool>("adjoint")) {}

  Status Compute(OpContext& ctx) {
    using C = WideType<T>;
    DF_ASSIGN(const Equations e, EquationsOf(ctx));
    DF_TRY(CheckSameBatch(ctx.input(0).shape(), ctx.input(1).shape()));
    WideOutput<T, C> x;
    DF_TRY(x.Allocate(ctx, 0, ctx.input(1).shape()));
    if (ctx.input(1).num_elements() == 0) return Status();
    DF_ASSIGN(const Tensor a, (Widened<T, C>(ctx, ctx.input(0))));
    DF_ASSIGN(const Tensor b, (Widened<T, C>(ctx, ctx.input(1))));
    const auto n = static_cast<double>(e.matrix.rows);
    DF_TRY(ForEachMatrix(ctx.pool(), e.matrix.count, e.work() + n * n * n / 3, [&](int64_t i) {
      const int64_t at = i * e.rhs.elements();
      return SolveMatrix(a.data<C>() + i * e.matrix.elements(), b.data<C>() + at, e.matrix.rows, e.rhs.columns,
                         adjoint_, x.data() + at);
    }));
    x.Round();
    return Status();
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
    using C = WideType<T>;
    DF_ASSIGN(const Equations e, EquationsOf(ctx));
    DF_ASSIGN(BatchPairs pairs, PairMatrices(ctx.input(0).shape(), ctx.input(1).shape()));
    pairs.dims.push_back(e.rhs.rows);
    pairs.dims.push_back(e.rhs.columns);
    DF_ASSIGN(const Shape shape, Shape::Create(pairs.dims));
    WideOutput<T, C> x;
    DF_TRY(x.Allocate(ctx, 0, shape));
    DF_ASSIGN(const Tensor a, (Widened<T, C>(ctx, ctx.input(0))));
    DF_ASSIGN(const Tensor b, (Widened<T, C>(ctx, ctx.input(1))));
    DF_TRY(ForEachMatrix(ctx.pool(), static_cast<int64_t>(pairs.x.size()), e.work(), [&](int64_t i) {
      const auto pair = static_cast<size_t>(i);
      SolveTriangular(a.data<C>() + pairs.x[pair] * e.matrix.elements(), b.data<C>() + pairs.y[pair] * e.rhs.elements(),
                      e.matrix.rows, e.rhs.columns, lower_, adjoint_, x.data() + i * e.rhs.elements());
      return Status();
    }));
    x.Round();
    return Status();
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
