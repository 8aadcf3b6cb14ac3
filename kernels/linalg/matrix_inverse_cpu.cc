#include <algorithm>
#include <cmath>
#include <complex>

#include "kernels/device/cpu_kernel.h"
#include "kernels/linalg/lu.h"
#include "kernels/linalg/matrix_batch.h"
#include "src/framework/element_types.h"
#include "src/framework/kernel_of.h"

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
    using C = ComputeType<T>;
    DF_ASSIGN(const MatrixBatch batch, SquareMatricesOf(ctx.input(0)));
    WideOutput<T, C> y;
    DF_TRY(y.Allocate(ctx, 0, ctx.input(0).shape()));
    DF_ASSIGN(const Tensor x, (Widened<T, C>(ctx, ctx.input(0))));
    DF_TRY(ForEachMatrix(ctx.pool(), batch.count, CubeOf(batch.rows), [&](int64_t i) {
      const int64_t at = i * batch.elements();
      return InvertMatrix<C>(x.data<C>() + at, batch.rows, adjoint_, y.data() + at);
    }));
    y.Round();
    return Status();
  }
  bool IsExpensive() const override { return true; }

 private:
  const bool adjoint_;
};

// Powers of two that a product of pivots is kept within, so that it does not overflow on the way.
template <class T>
int ExponentOf(T value) {
  const auto magnitude =
      kIsComplex<T> ? std::max(std::abs(std::real(value)), std::abs(std::imag(value))) : std::abs(std::real(value));
  return magnitude > 0 && std::isfinite(magnitude) ? std::ilogb(magnitude) : 0;
}
template <class T>
T TimesPowerOf2(T value, int exponent) {
  if constexpr (kIsComplex<T>) {
    return T(std::ldexp(value.real(), exponent), std::ldexp(value.imag(), exponent));
  } else {
    return std::ldexp(value, exponent);
  }
}

template <class T>
T Determinant(const LuPivots<T>& lu) {
  T product = lu.is_odd ? T(-1) : T(1);
  int64_t exponent = 0;
  for (const T& pivot : lu.pivots) {
    const int of_pivot = ExponentOf(pivot);
    product *= TimesPowerOf2(pivot, -of_pivot);
    const int of_product = ExponentOf(product);
    product = TimesPowerOf2(product, -of_product);
    exponent += of_pivot + of_product;
  }
  constexpr int64_t kBeyondAny = 100'000;
  return TimesPowerOf2(product, static_cast<int>(std::clamp(exponent, -kBeyondAny, kBeyondAny)));
}

template <class T>
T SignOf(T value) {
  if constexpr (kIsComplex<T>) {
    return value == T(0) ? T(0) : value / std::abs(value);
  } else {
    return std::isnan(value) || value == 0 ? value : std::copysign(T(1), value);
  }
}

template <class T>
T SignOfDeterminant(const LuPivots<T>& lu) {
  T sign = lu.is_odd ? T(-1) : T(1);
  for (const T& pivot : lu.pivots) sign *= SignOf(pivot);
  return sign;
}

template <class T>
T LogOfDeterminant(const LuPivots<T>& lu) {
  double sum = 0;
  for (const T& pivot : lu.pivots) sum += std::log(static_cast<double>(std::abs(pivot)));
  return T(static_cast<decltype(std::real(T()))>(sum));
}

// Numbers that follow from the pivots of each matrix.
template <class T, T (*... Outputs)(const LuPivots<T>&)>
class PivotsKernel final : public Kernel {
 public:
  explicit PivotsKernel(KernelSetup&) {}

  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const MatrixBatch batch, SquareMatricesOf(x));
    DF_ASSIGN(const Shape shape, BatchShape(x, {}));
    Tensor* outputs[sizeof...(Outputs)];
    for (size_t k = 0; k < sizeof...(Outputs); ++k) {
      DF_TRY(ctx.AllocateOutput(static_cast<int>(k), shape, &outputs[k]));
    }
    return ForEachMatrix(ctx.pool(), batch.count, CubeOf(batch.rows) / 3, [&](int64_t i) {
      const LuPivots<T> lu = PivotsOf(x.data<T>() + i * batch.elements(), batch.rows);
      size_t k = 0;
      ((outputs[k++]->template data<T>()[i] = Outputs(lu)), ...);
      return Status();
    });
  }
  bool IsExpensive() const override { return true; }
};

struct MatrixDeterminant {
  template <class T>
  using Kernel = PivotsKernel<T, &Determinant<T>>;
};
struct LogMatrixDeterminant {
  template <class T>
  using Kernel = PivotsKernel<T, &SignOfDeterminant<T>, &LogOfDeterminant<T>>;
};

CPU_KERNEL("MatrixInverse", KernelOf<MatrixInverseKernel>, float16, float, double, DF_COMPLEX);
CPU_KERNEL("MatrixDeterminant", MatrixDeterminant, float, double, DF_COMPLEX);
CPU_KERNEL("LogMatrixDeterminant", LogMatrixDeterminant, float, double, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
