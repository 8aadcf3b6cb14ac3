#include "kernels/math/functions/approximate_equal.h"

#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/elementwise.h"

namespace dfrun {
namespace {

struct ApproximateEqual {
  template <class T>
  class Kernel : public ApproximateEqualKernel<T> {
   public:
    using ApproximateEqualKernel<T>::ApproximateEqualKernel;
    Status Compute(OpContext& ctx) {
      const T* const x = ctx.input(0).data<T>();
      const T* const y = ctx.input(1).data<T>();
      Tensor* z = nullptr;
      DF_TRY(this->AllocateResult(ctx, &z));
      ctx.pool().ParallelFor(z->num_elements(), kElementBlock, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) z->data<bool>()[i] = this->is_near_(x[i], y[i]);
      });
      return Status();
    }
  };
};

CPU_KERNEL("ApproximateEqual", ApproximateEqual, float, double);

}  // namespace
}  // namespace dfrun
