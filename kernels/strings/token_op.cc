#include "src/framework/op/op.h"

namespace dfrun {

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
    .Own()
    .Doc(
        "The different tokens of texts, in the order in which they come, and how often each does: runs of `letters`, "
        "bytes as \"A-Za-z0-9\" or the letters of `unicode` (dfrun's own).");

}  // namespace dfrun
