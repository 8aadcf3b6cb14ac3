// The engine of gradients of element-wise ops: Binary's loops on operands of one shape.
#ifndef DFRUN_KERNELS_MATH_ELEMENTWISE_SAME_SHAPE_H_
#define DFRUN_KERNELS_MATH_ELEMENTWISE_SAME_SHAPE_H_

#include "kernels/math/elementwise/binary.h"

namespace dfrun::cpu {

// A BinaryKernel that does not broadcast: InvalidArgument for operands that differ in shape.
class SameShapeKernel : public BinaryKernel {
 public:
  SameShapeKernel(KernelSetup& setup, const BinaryLoops& loops) : BinaryKernel(setup, loops, /*broadcasts=*/false) {}
  Status Compute(OpContext& ctx) {
    if (ctx.input(0).shape() == ctx.input(1).shape()) return BinaryKernel::Compute(ctx);
    return InvalidArgument(ctx.node().op->name, ": the gradient has the shape ", ctx.input(0).shape(),
                           ", the other operand ", ctx.input(1).shape());
  }
};

template <class F>
struct SameShape {
  template <class T>
  struct Kernel : SameShapeKernel {
    explicit Kernel(KernelSetup& setup) : SameShapeKernel(setup, BinaryOf<F, T>::kLoops) {}
  };
};

}  // namespace dfrun::cpu

#endif  // DFRUN_KERNELS_MATH_ELEMENTWISE_SAME_SHAPE_H_
