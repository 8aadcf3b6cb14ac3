#include "src/framework/op.h"

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
      DF_TRY(c.WithRank(0, 0).status());
      c.set_output(0, PartialShape::Scalar());
      return Status();
    })
    .Doc(
        "One of `parts` parts of a file, about equal in size; each but the first begins where a token of `letters` "
        "does "
        "(dfrun's own).");

OP("TokenCounts")
    .Input("text: string")
    .Output("tokens: string")
    .Output("counts: int64")
    .Attr("letters: string = 'A-Za-z'")
    .NotDifferentiable()
    .Shape([](InferenceContext& c) -> Status {
      c.set_output(0, PartialShape({PartialShape::kUnknown}));
      c.set_output(1, PartialShape({PartialShape::kUnknown}));
      return Status();
    })
    .Doc(
        "The different tokens of texts, in the order in which they come, and how often each does. A run of bytes that "
        "are not `letters` ends a token, an empty one where a text begins with it (dfrun's own).");

}  // namespace dfrun
