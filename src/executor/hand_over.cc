#include "src/executor/hand_over.h"

#include <cstring>

namespace dfrun {

Status HandOver(const Tensor& from, const TypedArg& type, bool same_iteration, Allocator& allocator, Tensor& to) {
  if (type.is_ref) {
    to = from;
    return Status();
  }
  const Tensor& value = ValueIn(from);
  if (to.borrowed()) {
    if (!(value.shape() == to.shape())) {
      return Internal("the value has shape ", value.shape(), ", but shape inference promised ", to.shape());
    }
    std::memcpy(to.raw(), value.raw(), value.num_bytes());
  } else if (same_iteration || !value.borrowed()) {
    to = value;
  } else {
    DF_ASSIGN(to, value.Copy(allocator));
  }
  return Status();
}

}  // namespace dfrun
