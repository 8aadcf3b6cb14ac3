// Tensors of one value.
#include "kernels/array/copy/movement_cuda.h"
#include "kernels/array/int_values.h"

namespace dfrun {
namespace {

class FillKernel : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"dims"};
  explicit FillKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    const Tensor& value = ctx.input(1);
    if (value.shape().rank() != 0)
      return InvalidArgument("the value to fill with has shape ", value.shape(), ", but must be a scalar");
    DF_ASSIGN(const Shape shape, ShapeValue(ctx.input(0), "the shape to fill"));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    return cuda::Movement::Fill(ctx, *y, value.raw());
  }
};

class ZerosLikeKernel : public Kernel {
 public:
  explicit ZerosLikeKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, ctx.input(0).shape(), &y));
    return cuda::Movement::Fill(ctx, *y, nullptr);
  }
};

CUDA_KERNEL("Fill", cuda::ByBytes<FillKernel>, DF_PLAIN);
CUDA_KERNEL("ZerosLike", cuda::ByBytes<ZerosLikeKernel>, DF_PLAIN);

}  // namespace
}  // namespace dfrun
