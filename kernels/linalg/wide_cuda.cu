#include "kernels/linalg/wide_cuda.h"

#include <utility>

#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/math/elementwise/unary_cuda.h"
#include "kernels/math/functions/cast.h"
#include "kernels/math/functions/complex_cuda.h"
#include "src/framework/values/element_types.h"

namespace dfrun::cuda {
namespace {

#define DF_OF_MATRICES float16, float, double, DF_COMPLEX

DType WideOf(DType dtype) {
  const bool is_complex = dtype == DType::kComplex64 || dtype == DType::kComplex128;
  return is_complex ? DType::kComplex128 : DType::kDouble;
}

template <class T>
using WideType = std::conditional_t<kIsComplex<T>, Complex<double>, double>;

template <class To>
struct ConvertTo {
  template <class From>
  DF_HOST_DEVICE To operator()(From x) const {
    return CastElement<To>(x);
  }
};

// Matrices [columns, rows] of the conjugates.
template <class T>
DF_DEVICE_KERNEL void CopyAdjoint(const T* from, WideType<T>* to, int64_t rows, int64_t columns, int64_t n) {
  const int64_t i = GlobalThreadId();
  if (i >= n) return;
  const int64_t line = i / columns;
  const int64_t matrix = line / rows;
  const int64_t row = line - matrix * rows;
  const int64_t column = i - line * columns;
  WideType<T> value = CastElement<WideType<T>>(from[i]);
  if constexpr (kIsComplex<T>) value = conj(value);
  to[(matrix * columns + column) * rows + row] = value;
}

}  // namespace

Result<Tensor> WideMatrices(OpContext& ctx, const Tensor& tensor, const MatrixBatch& matrices, bool adjoint) {
  DF_ASSIGN(Tensor wide, ctx.AllocateTemp(WideOf(tensor.dtype()), Shape({tensor.num_elements()})));
  Status status;
  VisitDType<DF_OF_MATRICES>(tensor.dtype(), [&](auto tag) {
    using T = GpuType<typename decltype(tag)::type>;
    using C = WideType<T>;
    const auto* const from = static_cast<const T*>(tensor.raw());
    auto* const to = static_cast<C*>(wide.raw());
    const int64_t n = tensor.num_elements();
    status = adjoint ? Launch(ctx, n, &CopyAdjoint<T>, from, to, matrices.rows, matrices.columns, n)
                     : LaunchMap(ctx, from, to, n, ConvertTo<C>());
  });
  DF_TRY(status);
  return wide;
}

Status WideResult::Allocate(OpContext& ctx, int i, const Shape& shape) {
  DF_TRY(ctx.AllocateOutput(i, shape, &output_));
  DF_ASSIGN(wide_, ctx.AllocateTemp(WideOf(output_->dtype()), shape));
  return Status();
}

Status WideResult::Adopt(OpContext& ctx, int i, const Shape& shape, Tensor wide) {
  wide_ = std::move(wide);
  return ctx.AllocateOutput(i, shape, &output_);
}

Status WideResult::Round(OpContext& ctx) {
  Status status;
  VisitDType<DF_OF_MATRICES>(output_->dtype(), [&](auto tag) {
    using T = GpuType<typename decltype(tag)::type>;
    status = LaunchMap(ctx, static_cast<const WideType<T>*>(wide_.raw()), static_cast<T*>(output_->raw()),
                       wide_.num_elements(), ConvertTo<T>());
  });
  return status;
}

#undef DF_OF_MATRICES

}  // namespace dfrun::cuda
