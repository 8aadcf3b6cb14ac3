#include "src/executor/step/forward_value.h"

namespace dfrun {

Status ForwardValue(const Tensor& from, const TypedArg& type, bool same_iteration, Device& device, Tensor& to) {
  if (type.is_ref) {
    to = from;
    return Status();
  }
  const Tensor& value = ValueIn(from);
  if (to.borrowed()) {
    if (!(value.shape() == to.shape())) {
      return Internal("the value has shape ", value.shape(), ", but shape inference promised ", to.shape());
    }
    DF_TRY(device.Copy(value, to));
  } else if (same_iteration || !value.borrowed()) {
    to = value;
  } else {
    DF_ASSIGN(to, device.Clone(value, device.AllocatorFor(value.dtype())));
  }
  return Status();
}

}  // namespace dfrun
