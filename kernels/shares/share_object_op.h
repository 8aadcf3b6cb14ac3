// Parts of the definitions of ops of shares.
#ifndef DFRUN_KERNELS_SHARES_SHARE_OBJECT_OP_H_
#define DFRUN_KERNELS_SHARES_SHARE_OBJECT_OP_H_

#include "kernels/state/device_resource_op.h"
#include "src/framework/op/op.h"

namespace dfrun {

// Makes an object of a rank, which all tokens pass.
inline void MakesShareObject(OpBuilder& op) {
  op.Output("resource: resource").As(DeviceResource).Shape(ScalarOutputs()).Own();
}

// Uses such an object.
inline void UsesShareObject(OpBuilder& op) {
  op.Stateful().NotDifferentiable().Own().Cost(NoCost());
}

// The shape function of one vector.
inline Status ShareVectorOutput(InferenceContext& c) {
  c.set_output(0, PartialShape({PartialShape::kUnknown}));
  return Status();
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_SHARES_SHARE_OBJECT_OP_H_
