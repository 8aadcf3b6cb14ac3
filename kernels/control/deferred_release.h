// ReleaseWithoutRecursion(): frees the tensors in a variant's value, which may hold variants themselves, nested as deep
// as a loop made them.
#ifndef DFRUN_KERNELS_CONTROL_DEFERRED_RELEASE_H_
#define DFRUN_KERNELS_CONTROL_DEFERRED_RELEASE_H_

#include <vector>

#include "src/framework/values/tensor.h"

namespace dfrun {

// Frees the tensors without recursion, for the destructor of their holder.
// Thread safety: as the tensors'.
void ReleaseWithoutRecursion(std::vector<Tensor>& tensors);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_CONTROL_DEFERRED_RELEASE_H_
