// Tensors of one dtype and of any shapes as two tensors, in which a checkpoint can keep any number of them.
#ifndef DFRUN_KERNELS_STATE_PACKED_TENSORS_H_
#define DFRUN_KERNELS_STATE_PACKED_TENSORS_H_

#include <span>
#include <string>
#include <vector>

#include "src/framework/kernel/object_state.h"

namespace dfrun {

// Appends the two parts that hold such tensors, "values" and "shapes" after `prefix`.
void AddPackedParts(const std::string& prefix, DType dtype, std::vector<StatePart>& parts);

// Appends the two tensors to `parts`: a vector of all elements, tensor after tensor, and an int64 vector with the rank
// and then the sizes of each. Copies the elements.
Status PackTensors(std::span<const Tensor* const> tensors, DType dtype, Allocator& allocator,
                   std::vector<Tensor>& parts);

// The tensors, each in memory of its own. DataLoss where the two do not belong together.
Result<std::vector<Tensor>> UnpackTensors(const Tensor& values, const Tensor& shapes, Allocator& allocator);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_STATE_PACKED_TENSORS_H_
