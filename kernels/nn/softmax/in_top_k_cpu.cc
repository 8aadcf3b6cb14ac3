#include "kernels/device/cpu_kernel.h"
#include "kernels/nn/softmax/in_top_k.h"

namespace dfrun {
namespace {

class InTopKKernel : public InTopKBase {
 public:
  using InTopKBase::InTopKBase;
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const int64_t k, ReadK(ctx));
    const Shape& targets = ctx.input(1).shape();
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, targets, &y));
    const std::vector<int64_t> target = IntValues(ctx.input(1));
    const int64_t classes = ctx.input(0).shape().dim(1);
    for (int64_t r = 0; r < targets.dim(0); ++r)
      y->data<bool>()[r] = IsInTop(ctx.input(0).data<float>() + r * classes, classes, target[r], k);
    return Status();
  }
};

CPU_KERNEL_ANY("InTopK", InTopKKernel);
CPU_KERNEL_ANY("InTopKV2", InTopKKernel);

}  // namespace
}  // namespace dfrun
