#include "kernels/array/copy/movement_cuda.h"
#include "kernels/array/sort/order_cuda.h"
#include "kernels/device/cuda/runtime/launch.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

DF_DEVICE_KERNEL void WriteOrder(const int32_t* order, int64_t n, int64_t* y) {
  const int64_t i = cuda::GlobalThreadId();
  if (i < n) y[i] = order[i];
}

class ArgSortKernel final : public Kernel {
 public:
  explicit ArgSortKernel(KernelSetup& setup) : descending_(setup.attr<bool>("descending")) {}
  Status Compute(OpContext& ctx) {
    const Tensor& values = ctx.input(0);
    if (values.shape().rank() != 1) {
      return InvalidArgument("the values to sort must be a vector, but have shape ", values.shape());
    }
    const int64_t n = values.num_elements();
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, values.shape(), &y));
    DF_ASSIGN(const Tensor keys, cuda::OrderKeys(ctx, values, descending_));
    DF_ASSIGN(const Tensor order, cuda::FindOrder(ctx, keys, 1, n));
    return cuda::Launch(ctx, n, &WriteOrder, order.data<int32_t>(), n, y->data<int64_t>());
  }

 private:
  const bool descending_;
};

CUDA_KERNEL("ArgSort", cuda::ByBytes<ArgSortKernel>, DF_REAL);

}  // namespace
}  // namespace dfrun
