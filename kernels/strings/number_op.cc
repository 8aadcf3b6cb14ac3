#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {

OP("StringToNumber")
    .Input("string_tensor: string")
    .Output("output: out_type")
    .Attr("out_type: {float, double, int32, int64, uint32, uint64} = DT_FLOAT")
    .NotDifferentiable()
    .Shape(SameAsInput(0))
    .Rows(RowsOfElements())
    .Doc("The number that each string is the text of; InvalidArgument where it is none or does not fit.");

OP("AsString")
    .Input("input: T")
    .Output("output: string")
    .Attr(
        "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, complex64, "
        "complex128, bool, variant, string}")
    .Attr("precision: int = -1")
    .Attr("scientific: bool = false")
    .Attr("shortest: bool = false")
    .Attr("width: int = -1")
    .Attr("fill: string = ''")
    .NotDifferentiable()
    .Shape(SameAsInput(0))
    .Rows(RowsOfElements())
    .Doc("Each element as text, as printf writes it.");

OP("StringFormat")
    .Input("inputs: T")
    .Output("output: string")
    .Attr("T: list(type) >= 0")
    .Attr("template: string = '%s'")
    .Attr("placeholder: string = '%s'")
    .Attr("summarize: int = 3")
    .NotDifferentiable()
    .Shape(ScalarOutputs())
    .Doc("The template with the inputs' texts instead of its placeholders.");

OP("StringToHashBucketFast")
    .Input("input: string")
    .Output("output: int64")
    .Attr("num_buckets: int >= 1")
    .NotDifferentiable()
    .Shape(SameAsInput(0))
    .Rows(RowsOfElements())
    .Doc("FarmHash's 64-bit fingerprint of each string, modulo num_buckets.");

}  // namespace dfrun
