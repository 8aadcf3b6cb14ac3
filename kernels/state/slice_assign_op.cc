#include "kernels/state/state_ops.h"

namespace dfrun {
namespace {

OpCost SliceAssignCost(const CostContext& c) {
  return {0, c.bytes_in(1), c.input_bytes(4)};
}

void AssignsSlice(OpBuilder& op) {
  op.Input("begin: Index").Input("end: Index").Input("strides: Index").Input("value: T");
  op.Attr("T: type").Attr("Index: {int32, int64}");
  for (const char* mask : {"begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"}) {
    op.Attr(std::string(mask) + ": int = 0");
  }
  op.GradientEnds(GradientFlow::kState);
}

}  // namespace

OP("StridedSliceAssign")
    .Input("ref: Ref(T)")
    .As(AssignsSlice)
    .Output("output_ref: Ref(T)")
    .Shape(SameAsInput(0))
    .Cost(&SliceAssignCost)
    .Doc("Writes `value`, broadcast to its shape, into the part of the variable that StridedSlice would read.");

OP("ResourceStridedSliceAssign")
    .Input("ref: resource")
    .As(AssignsSlice)
    .Stateful()
    .Cost(&SliceAssignCost)
    .Doc("StridedSliceAssign of the handle's variable.");

}  // namespace dfrun
