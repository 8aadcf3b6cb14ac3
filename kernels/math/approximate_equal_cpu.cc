#include <cmath>

#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise.h"

namespace dfrun {
namespace {

struct ApproximateEqual {
  template <class T>
  class Kernel : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup& setup) : tolerance_(setup.attr<float>("tolerance")) {}
    Status Compute(OpContext& ctx) {
      const Tensor& x = ctx.input(0);
      const Tensor& y = ctx.input(1);
      if (!(x.shape() == y.shape()))
        return InvalidArgument("ApproximateEqual of different shapes: ", x.shape(), " and ", y.shape());
      Tensor* z = nullptr;
      DF_TRY(ctx.AllocateOutput(0, x.shape(), &z));
      ctx.pool().ParallelFor(x.num_elements(), kElementBlock, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          z->data<bool>()[i] = std::abs(x.data<T>()[i] - y.data<T>()[i]) <= tolerance_;
      });
      return Status();
    }

   private:
    const T tolerance_;
  };
};

CPU_KERNEL("ApproximateEqual", ApproximateEqual, float, double);

}  // namespace
}  // namespace dfrun
