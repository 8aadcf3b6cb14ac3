// The ops of values that travel compressed (src/graph/wire_compression.h). A Cast makes the received values float32.
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

OP("_Compress")
    .Input("x: float")
    .Output("y: bfloat16")
    .Shape(SameAsInput(0))
    .Own()
    .Cost(CopyCost())
    .Doc("The upper 16 bits of each element; NaN stays NaN.");

OP("_WireStatistics")
    .Output("bytes: double")
    .Output("wire_bytes: double")
    .Output("dropped: double")
    .Output("total: double")
    .Stateful()
    .Shape([](InferenceContext& c) {
      for (int i = 0; i < 4; ++i) c.set_output(i, PartialShape::Scalar());
      return Status();
    })
    .NotDifferentiable()
    .Own()
    .Doc(
        "What _Compress had and gave on this rank since the last call: bytes, and sums of what elements lost and "
        "were.");

}  // namespace
}  // namespace dfrun
