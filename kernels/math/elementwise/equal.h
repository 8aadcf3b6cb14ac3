// Equality, which for shapes that do not broadcast is either an error or one answer for the whole.
#ifndef DFRUN_KERNELS_MATH_ELEMENTWISE_EQUAL_H_
#define DFRUN_KERNELS_MATH_ELEMENTWISE_EQUAL_H_

#include "kernels/math/elementwise/binary.h"
#include "kernels/math/functions/functors.h"

namespace dfrun::cpu {

class EqualityKernel : public BinaryKernel {
 public:
  EqualityKernel(KernelSetup& setup, const BinaryLoops& loops, bool when_incompatible)
      : BinaryKernel(setup, loops),
        is_error_(setup.attr<bool>("incompatible_shape_error")),
        when_incompatible_(when_incompatible) {}
  Status Compute(OpContext& ctx);

 private:
  const bool is_error_;
  const bool when_incompatible_;
};

template <class F>
struct Equality {
  template <class T>
  struct Kernel : EqualityKernel {
    explicit Kernel(KernelSetup& setup)
        : EqualityKernel(setup, BinaryOf<F, T>::kLoops, std::is_same_v<F, fn::NotEqual>) {}
  };
};

}  // namespace dfrun::cpu

#endif  // DFRUN_KERNELS_MATH_ELEMENTWISE_EQUAL_H_
