#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/nn/softmax/in_top_k.h"

namespace dfrun {
namespace {

// A thread looks through a row: most are short.
template <class Target>
DF_DEVICE_KERNEL void FindInTop(const float* predictions, const Target* targets, bool* y, int64_t rows, int64_t classes,
                                int64_t k) {
  const int64_t r = cuda::GlobalThreadId();
  if (r < rows) y[r] = IsInTop(predictions + r * classes, classes, static_cast<int64_t>(targets[r]), k);
}

class InTopKKernel : public InTopKBase {
 public:
  using InTopKBase::InTopKBase;
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const int64_t k, ReadK(ctx));
    const Tensor& predictions = ctx.input(0);
    const Tensor& targets = ctx.input(1);
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, targets.shape(), &y));
    Status status;
    VisitDType<int32_t, int64_t>(targets.dtype(), [&](auto tag) {
      using Target = typename decltype(tag)::type;
      status =
          cuda::Launch(ctx, targets.num_elements(), &FindInTop<Target>, predictions.data<float>(),
                       targets.data<Target>(), y->data<bool>(), targets.num_elements(), predictions.shape().dim(1), k);
    });
    return status;
  }
};

CUDA_KERNEL_ANY("InTopK", InTopKKernel);
CUDA_KERNEL_ANY("InTopKV2", InTopKKernel);

}  // namespace
}  // namespace dfrun
