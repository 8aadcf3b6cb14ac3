// A class template over the element type as a family of kernels.
#ifndef DFRUN_SRC_FRAMEWORK_KERNEL_KERNEL_OF_H_
#define DFRUN_SRC_FRAMEWORK_KERNEL_KERNEL_OF_H_

#include "src/framework/kernel/kernel.h"

namespace dfrun {

//   template <class T>
//   class LrnKernel final : public Kernel { ... };
//   CPU_KERNEL("LRN", KernelOf<LrnKernel>, bfloat16, float16, float);
template <template <class> class K>
struct KernelOf {
  template <class T>
  using Kernel = K<T>;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_KERNEL_KERNEL_OF_H_
