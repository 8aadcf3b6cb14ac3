#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/math/elementwise/unary_cuda.h"
#include "kernels/math/functions/cast.h"
#include "kernels/math/functions/complex_cuda.h"

namespace dfrun {
namespace {

using cuda::Complex;
using cuda::GpuType;

template <class Src, class Dst>
struct CastMap {
  DF_HOST_DEVICE Dst operator()(Src x) const { return CastElement<Dst>(x); }
};

template <class Src, class Dst>
Status LaunchCast(OpContext& ctx, const void* x, void* y, int64_t n) {
  return cuda::LaunchMap(ctx, static_cast<const Src*>(x), static_cast<Dst*>(y), n, CastMap<Src, Dst>());
}

template <class Src, class Dst, int kBits>
struct TruncatingMap {
  DF_HOST_DEVICE Dst operator()(Src x) const { return CastElement<Dst>(CutMantissa<kBits>(x)); }
};

template <class Src, class Dst, int kBits>
Status LaunchTruncating(OpContext& ctx, const void* x, void* y, int64_t n) {
  return cuda::LaunchMap(ctx, static_cast<const Src*>(x), static_cast<Dst*>(y), n, TruncatingMap<Src, Dst, kBits>());
}

// The launch of a Cast with Truncate between two dtypes; null where TensorFlow's is the one without.
cuda::UnaryLaunch FindTruncatingLaunch(DType from, DType to) {
  const auto is = [&](DType a, DType b) { return from == a && to == b; };
  if (is(DType::kDouble, DType::kFloat)) return &LaunchTruncating<double, float, 23>;
  if (is(DType::kDouble, DType::kHalf)) return &LaunchTruncating<double, float16, 10>;
  if (is(DType::kFloat, DType::kHalf)) return &LaunchTruncating<float, float16, 10>;
  if (is(DType::kFloat, DType::kBfloat16)) return &LaunchTruncating<float, bfloat16, 7>;
  if (is(DType::kComplex128, DType::kFloat)) return &LaunchTruncating<Complex<double>, float, 23>;
  if (is(DType::kComplex128, DType::kHalf)) return &LaunchTruncating<Complex<double>, float16, 10>;
  if (is(DType::kComplex128, DType::kComplex64)) return &LaunchTruncating<Complex<double>, Complex<float>, 23>;
  if (is(DType::kComplex64, DType::kHalf)) return &LaunchTruncating<Complex<float>, float16, 10>;
  return nullptr;
}

// Null where there is none.
cuda::UnaryLaunch FindCastLaunch(DType from, DType to) {
  cuda::UnaryLaunch launch = nullptr;
  VisitDType<bool, DF_NUMBERS>(from, [&](auto from_tag) {
    using Src = GpuType<typename decltype(from_tag)::type>;
    VisitDType<bool, DF_NUMBERS>(
        to, [&](auto to_tag) { launch = &LaunchCast<Src, GpuType<typename decltype(to_tag)::type>>; });
  });
  return launch;
}

class CastKernel final : public Kernel {
 public:
  explicit CastKernel(KernelSetup& setup)
      : CastKernel(setup, setup.attr<DType>("SrcT"), setup.attr<DType>("DstT"), setup.attr<bool>("Truncate")) {}

  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    Tensor* y = nullptr;
    DF_TRY(ctx.ForwardOrAllocate(0, 0, x.shape(), &y));
    if (is_copy_) return cuda::EnqueueBytes(ctx, x.raw(), y->raw(), x.num_bytes());
    return launch_(ctx, x.raw(), y->raw(), x.num_elements());
  }

 private:
  CastKernel(KernelSetup& setup, DType from, DType to, bool truncates)
      : is_copy_(from == to), launch_(truncates ? FindTruncatingLaunch(from, to) : nullptr) {
    if (launch_ == nullptr) launch_ = FindCastLaunch(from, to);
    if (launch_ == nullptr && !is_copy_) {
      setup.Fail(Unimplemented("there is no Cast from ", from, " to ", to, " on GPUs"));
    }
  }

  const bool is_copy_;
  cuda::UnaryLaunch launch_;
};

struct Cast {
  template <class T>
  using Kernel = CastKernel;
};

CUDA_KERNEL_ATTR("Cast", "SrcT", Cast, bool, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
