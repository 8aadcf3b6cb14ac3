// Values that control-flow nodes hand on without a kernel.
#ifndef DFRUN_SRC_EXECUTOR_STEP_FORWARD_VALUE_H_
#define DFRUN_SRC_EXECUTOR_STEP_FORWARD_VALUE_H_

#include <cstring>

#include "src/framework/device/device.h"
#include "src/framework/kernel/variable.h"
#include "src/framework/op/op.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

// The value of a slot; of a reference, the variable's now.
inline const Tensor& ValueIn(const Tensor& slot) {
  return slot.is_reference() ? slot.variable()->value() : slot;
}

// Copies a few bytes, mostly those of a scalar.
inline void CopySmall(const void* from, uint32_t bytes, void* to) {
  switch (bytes) {
    case 1:
      std::memcpy(to, from, 1);
      break;
    case 4:
      std::memcpy(to, from, 4);
      break;
    case 8:
      std::memcpy(to, from, 8);
      break;
    default:
      std::memcpy(to, from, bytes);
  }
}

// Makes the output slot `to` hold the value of `from`: a copy in a placed slot, else a share of its buffer. A value in
// an arena is shared only where `same_iteration`; else it is copied, since the iteration's arena is used again.
// Internal error where a placed slot was promised another shape; ResourceExhausted without memory for a copy.
Status ForwardValue(const Tensor& from, const TypedArg& type, bool same_iteration, Device& device, Tensor& to);

}  // namespace dfrun

#endif  // DFRUN_SRC_EXECUTOR_STEP_FORWARD_VALUE_H_
