// Comparisons, logic, and functions of the bits of integers.
#include "kernels/math/elementwise/binary_cuda.h"
#include "kernels/math/functions/bitwise_functors.h"
#include "kernels/math/functions/complex_cuda.h"
#include "kernels/math/functions/functors.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// The kernel of Equal and NotEqual. With incompatible_shape_error=false, shapes that do not broadcast give one answer.
class EqualityKernel : public cuda::BinaryKernel {
 public:
  EqualityKernel(KernelSetup& setup, const cuda::BinaryLaunch& launch, bool when_incompatible)
      : BinaryKernel(setup, launch),
        is_error_(setup.attr<bool>("incompatible_shape_error")),
        when_incompatible_(when_incompatible) {}

  Status Compute(OpContext& ctx) {
    BroadcastPlan plan;
    Shape shape;
    const Status fits = PlanBroadcast({&ctx.input(0).shape(), &ctx.input(1).shape()}, plan, shape);
    if (is_error_ || fits.code() != Code::kInvalidArgument) return BinaryKernel::Compute(ctx);
    Tensor* z = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(), &z));
    return cuda::EnqueueByte(ctx, z->raw(), when_incompatible_ ? 1 : 0, sizeof(bool));
  }

 private:
  const bool is_error_;
  const bool when_incompatible_;
};

template <class F>
struct Equality {
  template <class T>
  struct Kernel : EqualityKernel {
    explicit Kernel(KernelSetup& setup)
        : EqualityKernel(setup, cuda::kBinaryLaunch<F, cuda::GpuType<T>>, std::is_same_v<F, fn::NotEqual>) {}
  };
};

CUDA_KERNEL("Less", cuda::Binary<fn::Less>, DF_REAL);
CUDA_KERNEL("LessEqual", cuda::Binary<fn::LessEqual>, DF_REAL);
CUDA_KERNEL("Greater", cuda::Binary<fn::Greater>, DF_REAL);
CUDA_KERNEL("GreaterEqual", cuda::Binary<fn::GreaterEqual>, DF_REAL);
CUDA_KERNEL("Equal", Equality<fn::Equal>, DF_NUMBERS, bool);
CUDA_KERNEL("NotEqual", Equality<fn::NotEqual>, DF_NUMBERS, bool);
CUDA_KERNEL_ANY("LogicalAnd", cuda::Binary<fn::LogicalAnd>::Kernel<bool>);
CUDA_KERNEL_ANY("LogicalOr", cuda::Binary<fn::LogicalOr>::Kernel<bool>);
CUDA_KERNEL("BitwiseAnd", cuda::Binary<fn::BitwiseAnd>, DF_INTEGERS);
CUDA_KERNEL("BitwiseOr", cuda::Binary<fn::BitwiseOr>, DF_INTEGERS);
CUDA_KERNEL("BitwiseXor", cuda::Binary<fn::BitwiseXor>, DF_INTEGERS);
CUDA_KERNEL("LeftShift", cuda::Binary<fn::LeftShift>, DF_INTEGERS);
CUDA_KERNEL("RightShift", cuda::Binary<fn::RightShift>, DF_INTEGERS);

}  // namespace
}  // namespace dfrun
