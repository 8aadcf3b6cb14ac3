// RequireOutput(): the dtype check of kernels that take complex numbers apart or put them together.
#ifndef DFRUN_KERNELS_MATH_FUNCTIONS_COMPLEX_PARTS_H_
#define DFRUN_KERNELS_MATH_FUNCTIONS_COMPLEX_PARTS_H_

#include "src/framework/kernel/kernel.h"

namespace dfrun {

// The input's dtype decides the output's, though the signature has an attr for each.
inline void RequireOutput(KernelSetup& setup, DType made) {
  const NodeInfo& node = setup.node();
  if (node.outputs[0].dtype == made) return;
  setup.Fail(InvalidArgument(node.op->name, " of ", node.inputs[0].dtype, " gives ", made, ", not ",
                             node.outputs[0].dtype, ": set Tout to ", made));
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_FUNCTIONS_COMPLEX_PARTS_H_
