#include <cmath>

#include "kernels/math/element.h"
#include "kernels/math/zip_cuda.h"

namespace dfrun {
namespace {

template <class T>
struct IsNear {
  T tolerance;
  DF_HOST_DEVICE bool operator()(T x, T y) const { return std::abs(x - y) <= tolerance; }
};

struct ApproximateEqual {
  template <class T>
  class Kernel : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup& setup) : is_near_{setup.attr<float>("tolerance")} {}
    Status Compute(OpContext& ctx) {
      const Tensor& x = ctx.input(0);
      const Tensor& y = ctx.input(1);
      if (!(x.shape() == y.shape()))
        return InvalidArgument("ApproximateEqual of different shapes: ", x.shape(), " and ", y.shape());
      Tensor* z = nullptr;
      DF_TRY(ctx.AllocateOutput(0, x.shape(), &z));
      return cuda::LaunchZip(ctx, x.data<T>(), y.data<T>(), z->data<bool>(), x.num_elements(), is_near_);
    }

   private:
    const IsNear<T> is_near_;
  };
};

CUDA_KERNEL("ApproximateEqual", ApproximateEqual, float, double);

}  // namespace
}  // namespace dfrun
