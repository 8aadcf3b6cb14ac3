#include "src/framework/kernel/op_context.h"

#include <utility>

namespace dfrun {

Status OpContext::AllocateOutput(int i, const Shape& shape, Tensor** output) {
  Tensor& slot = out_[i];
  *output = &slot;
  if (slot.borrowed()) {  // preallocated by the plan
    if (slot.shape() == shape) [[likely]]
      return Status();
    return Internal("output ", i, " has shape ", shape, ", but shape inference promised ", slot.shape());
  }
  const TypedArg& type = node_->outputs[i];
  DF_ASSIGN(slot, Tensor::Allocate(type.in_host ? device_->host_allocator() : device_->AllocatorFor(type.dtype),
                                   type.dtype, shape));
  return Status();
}

Status OpContext::ForwardOrAllocate(int from, int i, const Shape& shape, Tensor** output) {
  Tensor& source = slots_[in_[from]];
  if (from < 64 && (forwardable_ >> from & 1) != 0 && !out_[i].borrowed() && source.SoleOwner() &&
      source.dtype() == node_->outputs[i].dtype && source.num_elements() == shape.num_elements()) {
    out_[i] = source.Reshaped(shape);  // the input stays readable: both headers share the bytes
    *output = &out_[i];
    return Status();
  }
  return AllocateOutput(i, shape, output);
}

}  // namespace dfrun
