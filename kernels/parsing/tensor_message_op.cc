// Tensors as the messages that GraphDef holds constants in.
#include "src/framework/op/op.h"

namespace dfrun {

OP("ParseTensor")
    .Input("serialized: string")
    .Output("output: out_type")
    .Attr("out_type: type")
    .Shape([](InferenceContext& c) { return c.WithRank(0, 0).status(); })
    .Cost(CopyCost())
    .Doc("The tensor of a serialized TensorProto, which must be of the dtype out_type.");

OP("SerializeTensor")
    .Input("tensor: T")
    .Output("serialized: string")
    .Attr("T: type")
    .Shape(ScalarOutputs())
    .Cost(CopyCost())
    .Doc("The tensor as a serialized TensorProto.");

}  // namespace dfrun
