// Parts of the definitions of ops that make objects of a device (variables, queues, readers).
#ifndef DFRUN_KERNELS_STATE_DEVICE_RESOURCE_OP_H_
#define DFRUN_KERNELS_STATE_DEVICE_RESOURCE_OP_H_

#include "src/framework/op/op.h"

namespace dfrun {

// Makes an object, or finds the one of this container and shared_name (the node's name if empty).
inline void DeviceResource(OpBuilder& op) {
  op.Attr("container: string = ''").Attr("shared_name: string = ''").Stateful().NotDifferentiable().Cost(NoCost());
}

// The shape function of a handle that is a reference to strings: a container and a name.
inline Status ReferenceHandleShape(InferenceContext& c) {
  c.set_output(0, PartialShape({2}));
  return Status();
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_STATE_DEVICE_RESOURCE_OP_H_
