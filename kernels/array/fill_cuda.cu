// Tensors of one value.
#include "kernels/array/int_values.h"
#include "kernels/array/movement_cuda.h"
#include "kernels/device/cuda/launch.h"
#include "kernels/math/complex_cuda.h"

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

template <class T>
DF_CARD_KERNEL void FillWithOne(T* to, int64_t n) {
  const int64_t i = cuda::ThreadInGrid();
  if (i < n) to[i] = static_cast<T>(1.0F);
}

struct OnesLike {
  template <class T>
  class Kernel : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup&) {}
    Status Compute(OpContext& ctx) {
      Tensor* y = nullptr;
      DF_TRY(ctx.AllocateOutput(0, ctx.input(0).shape(), &y));
      using E = cuda::CardType<T>;
      return cuda::Launch(ctx, y->num_elements(), &FillWithOne<E>, static_cast<E*>(y->raw()), y->num_elements());
    }
  };
};

CUDA_KERNEL("Fill", cuda::ByBytes<FillKernel>, DF_PLAIN);
CUDA_KERNEL("ZerosLike", cuda::ByBytes<ZerosLikeKernel>, DF_PLAIN);
CUDA_KERNEL("OnesLike", OnesLike, DF_NUMBERS, bool);

}  // namespace
}  // namespace dfrun
