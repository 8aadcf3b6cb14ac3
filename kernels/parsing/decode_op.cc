#include "src/framework/op/op.h"

namespace dfrun {

OP("DecodeRaw")
    .Input("bytes: string")
    .Output("output: out_type")
    .Attr(
        "out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, complex64, complex128, bool, "
        "bfloat16}")
    .Attr("little_endian: bool = true")
    .NotDifferentiable()
    .Shape([](InferenceContext& c) {
      if (!c.input(0).known_rank()) return Status();
      PartialShape output = c.input(0);
      output.Append(PartialShape::kUnknown);
      c.set_output(0, std::move(output));
      return Status();
    })
    .Cost(CopyCost())
    .Doc("The bytes of strings of one length as numbers, in a further dimension.");

OP("DecodeCSV")
    .Input("records: string")
    .Input("record_defaults: OUT_TYPE")
    .Output("output: OUT_TYPE")
    .Attr("OUT_TYPE: list({float, double, int32, int64, string}) >= 1")
    .Attr("field_delim: string = ','")
    .Attr("use_quote_delim: bool = true")
    .Attr("na_value: string = ''")
    .Attr("select_cols: list(int) = []")
    .Shape([](InferenceContext& c) -> Status {
      for (int i = 1; i < c.num_inputs(); ++i) {
        const PartialShape& fallback = c.input(i);
        if (!fallback.known_rank()) continue;
        if (fallback.rank() > 1 || (fallback.rank() == 1 && fallback.dim(0) > 1)) {
          return InvalidArgument("the default of column ", i - 1, " has shape ", fallback,
                                 ", but must be a scalar, or a vector of one element or none");
        }
      }
      for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, c.input(0));
      return Status();
    })
    .Doc("Columns of comma-separated records; a column whose default is empty must not be missing.");

}  // namespace dfrun
