// String inputs of checkpoint ops.
#ifndef DFRUN_KERNELS_CHECKPOINT_STRING_INPUTS_H_
#define DFRUN_KERNELS_CHECKPOINT_STRING_INPUTS_H_

#include <string>
#include <vector>

#include "src/framework/kernel/kernel.h"

namespace dfrun {

// The one element of input i; InvalidArgument where it is no scalar.
inline Result<std::string> StringScalar(const OpContext& ctx, int i) {
  const Tensor& tensor = ctx.input(i);
  if (tensor.num_elements() == 1) return *tensor.data<std::string>();
  return InvalidArgument(ctx.node().op->name, ": input ", i, " must be a scalar, but has shape ", tensor.shape());
}

// The elements of vector input i, `count` of them (negative: any number).
inline Result<std::vector<std::string>> StringVector(const OpContext& ctx, int i, int64_t count = -1) {
  const Tensor& tensor = ctx.input(i);
  if (tensor.shape().rank() != 1 || (count >= 0 && tensor.num_elements() != count)) {
    return InvalidArgument(ctx.node().op->name, ": input ", i, " must be a vector",
                           count < 0 ? std::string() : StrCat(" of ", count), ", but has shape ", tensor.shape());
  }
  return std::vector<std::string>(tensor.data<std::string>(), tensor.data<std::string>() + tensor.num_elements());
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_CHECKPOINT_STRING_INPUTS_H_
