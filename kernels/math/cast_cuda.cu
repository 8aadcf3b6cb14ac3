#include "kernels/device/cuda/launch.h"
#include "kernels/math/cast.h"
#include "kernels/math/unary_cuda.h"

namespace dfrun {
namespace {

template <class Src, class Dst>
struct CastMap {
  DF_HOST_DEVICE Dst operator()(Src x) const { return CastElement<Dst>(x); }
};

template <class Src, class Dst>
Status LaunchCast(OpContext& ctx, const void* x, void* y, int64_t n) {
  return cuda::LaunchMap(ctx, static_cast<const Src*>(x), static_cast<Dst*>(y), n, CastMap<Src, Dst>());
}

// Null where there is none.
cuda::UnaryLaunch FindCastLaunch(DType from, DType to) {
  cuda::UnaryLaunch launch = nullptr;
  VisitDType<bool, DF_REAL>(from, [&](auto from_tag) {
    using Src = typename decltype(from_tag)::type;
    VisitDType<bool, DF_REAL>(to, [&](auto to_tag) { launch = &LaunchCast<Src, typename decltype(to_tag)::type>; });
  });
  return launch;
}

class CastKernel final : public Kernel {
 public:
  explicit CastKernel(KernelSetup& setup)
      : is_copy_(setup.attr<DType>("SrcT") == setup.attr<DType>("DstT")),
        launch_(FindCastLaunch(setup.attr<DType>("SrcT"), setup.attr<DType>("DstT"))) {
    if (launch_ == nullptr && !is_copy_) {
      setup.Fail(Unimplemented("there is no Cast from ", setup.attr<DType>("SrcT"), " to ", setup.attr<DType>("DstT"),
                               " on cards"));
    } else if (setup.attr<bool>("Truncate") && !is_copy_) {
      setup.Fail(Unimplemented("there is no Cast with Truncate on cards"));
    }
  }

  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    Tensor* y = nullptr;
    DF_TRY(ctx.ForwardOrAllocate(0, 0, x.shape(), &y));
    if (is_copy_) return cuda::EnqueueBytes(ctx, x.raw(), y->raw(), x.num_bytes());
    return launch_(ctx, x.raw(), y->raw(), x.num_elements());
  }

 private:
  const bool is_copy_;
  const cuda::UnaryLaunch launch_;
};

struct Cast {
  template <class T>
  using Kernel = CastKernel;
};

CUDA_KERNEL_ATTR("Cast", "SrcT", Cast, bool, DF_REAL);

}  // namespace
}  // namespace dfrun
