#include "src/framework/op/op.h"

namespace dfrun {

OP("ReadTextRange")
    .Input("filename: string")
    .Output("text: string")
    .Attr("part: int >= 0 = 0")
    .Attr("parts: int >= 1 = 1")
    .Attr("letters: string = 'A-Za-z'")
    .Stateful()
    .NotDifferentiable()
    .Shape([](InferenceContext& c) -> Status {
      c.set_output(0, PartialShape::Scalar());
      return Status();
    })
    .Own()
    .Cost(CopyCost())
    .Doc(
        "One of `parts` parts of the texts of files, about equal in size; each begins where a token of `letters` does, "
        "and no token is of two files. A name may be a pattern, or several in a row with commas between them; files "
        "compressed by gzip or zlib are found by what they hold (dfrun's own).");

}  // namespace dfrun
