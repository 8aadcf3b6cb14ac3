#include <cmath>
#include <complex>

#include "kernels/device/cpu_kernel.h"
#include "kernels/linalg/lu.h"
#include "kernels/linalg/matrix_batch.h"
#include "kernels/linalg/pivots.h"
#include "src/framework/kernel/kernel_of.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

double CubeOf(int64_t n) {
  return std::pow(static_cast<double>(n), 3);
}

template <class T>
class MatrixInverseKernel final : public Kernel {
 public:
  explicit MatrixInverseKernel(KernelSetup& setup) : adjoint_(setup.attr<bool>("adjoint")) {}

  Status Compute(OpContext& ctx) {
    using C = WideType<T>;
    return MapSquareMatrices<T>(
        ctx, &CubeOf, [&](const C* from, int64_t n, C* to) { return InvertMatrix<C>(from, n, adjoint_, to); });
  }
  bool IsExpensive() const override { return true; }

 private:
  const bool adjoint_;
};

// Numbers that follow from the pivots of each matrix.
template <class T, class... Outputs>
class PivotsKernel final : public Kernel {
 public:
  explicit PivotsKernel(KernelSetup&) {}

  Status Compute(OpContext& ctx) {
    using C = WideType<T>;
    DF_ASSIGN(const MatrixBatch batch, SquareMatricesOf(ctx.input(0)));
    DF_ASSIGN(const Shape shape, BatchShape(ctx.input(0), {}));
    Tensor* outputs[sizeof...(Outputs)];
    for (size_t k = 0; k < sizeof...(Outputs); ++k) {
      DF_TRY(ctx.AllocateOutput(static_cast<int>(k), shape, &outputs[k]));
    }
    DF_ASSIGN(const Tensor x, (Widened<T, C>(ctx, ctx.input(0))));
    return ForEachMatrix(ctx.pool(), batch.count, CubeOf(batch.rows) / 3, [&](int64_t i) {
      const LuPivots<C> lu = PivotsOf(x.data<C>() + i * batch.elements(), batch.rows);
      const Pivots<C> pivots = {lu.pivots.data(), batch.rows, 1, lu.is_odd};
      size_t k = 0;
      ((outputs[k++]->template data<T>()[i] = static_cast<T>(Outputs()(pivots))), ...);
      return Status();
    });
  }
  bool IsExpensive() const override { return true; }
};

struct MatrixDeterminant {
  template <class T>
  using Kernel = PivotsKernel<T, Determinant>;
};
struct LogMatrixDeterminant {
  template <class T>
  using Kernel = PivotsKernel<T, SignOfDeterminant, LogOfDeterminant>;
};

CPU_KERNEL("MatrixInverse", KernelOf<MatrixInverseKernel>, float16, float, double, DF_COMPLEX);
CPU_KERNEL("MatrixDeterminant", MatrixDeterminant, float, double, DF_COMPLEX);
CPU_KERNEL("LogMatrixDeterminant", LogMatrixDeterminant, float, double, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
