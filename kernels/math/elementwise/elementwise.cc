#include "kernels/math/elementwise/elementwise.h"

namespace dfrun {

bool IsPreallocated(const KernelSetup& setup) {
  const NodeInfo& node = setup.node();
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (node.inputs[i].is_ref || !setup.input_shape(static_cast<int>(i)).IsFullyDefined()) return false;
  }
  return setup.output_is_preallocated(0);
}

}  // namespace dfrun
