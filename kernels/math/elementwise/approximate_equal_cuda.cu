#include "kernels/math/elementwise/zip_cuda.h"
#include "kernels/math/functions/approximate_equal.h"

namespace dfrun {
namespace {

struct ApproximateEqual {
  template <class T>
  class Kernel : public ApproximateEqualKernel<T> {
   public:
    using ApproximateEqualKernel<T>::ApproximateEqualKernel;
    Status Compute(OpContext& ctx) {
      Tensor* z = nullptr;
      DF_TRY(this->AllocateResult(ctx, &z));
      return cuda::LaunchZip(ctx, ctx.input(0).data<T>(), ctx.input(1).data<T>(), z->data<bool>(), z->num_elements(),
                             this->is_near_);
    }
  };
};

CUDA_KERNEL("ApproximateEqual", ApproximateEqual, float, double);

}  // namespace
}  // namespace dfrun
