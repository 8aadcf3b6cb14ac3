#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {

OP("StringLength")
    .Input("input: string")
    .Output("output: int32")
    .Attr("unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'")
    .NotDifferentiable()
    .Shape(SameAsInput(0))
    .Rows(RowsOfElements())
    .Doc("The bytes or characters of each string.");

OP("Substr")
    .Input("input: string")
    .Input("pos: T")
    .Input("len: T")
    .Output("output: string")
    .Attr("T: {int32, int64}")
    .Attr("unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'")
    .NotDifferentiable()
    .Shape([](InferenceContext& c) -> Status {
      DF_TRY(c.input(1).Merge(c.input(2)).status());
      DF_ASSIGN(PartialShape shape, BroadcastShapes(c.input(0), c.input(1)));
      c.set_output(0, std::move(shape));
      return Status();
    })
    .Doc(
        "A part of each string: `len` bytes or characters from `pos` on, which counts from the end where it is "
        "negative.");

}  // namespace dfrun
