#include "src/framework/op/op.h"

namespace dfrun {
namespace {

// A vector is split at a scalar into a sparse matrix of strings.
void SplitsStrings(OpBuilder& op) {
  op.Output("indices: int64").Output("values: string").Output("shape: int64").NotDifferentiable();
  op.Shape([](InferenceContext& c) -> Status {
    DF_TRY(c.WithRank(0, 1).status());
    DF_TRY(c.WithRank(1, 0).status());
    c.set_output(0, PartialShape({PartialShape::kUnknown, 2}));
    c.set_output(1, PartialShape({PartialShape::kUnknown}));
    c.set_output(2, PartialShape({2}));
    return Status();
  });
}

}  // namespace

OP("StringSplit")
    .Input("input: string")
    .Input("delimiter: string")
    .Attr("skip_empty: bool = true")
    .As(SplitsStrings)
    .Doc(
        "The parts of each string between bytes of the delimiter, or its bytes where that is empty, as a sparse "
        "matrix.");

OP("StringSplitV2")
    .Input("input: string")
    .Input("sep: string")
    .Attr("maxsplit: int = -1")
    .As(SplitsStrings)
    .Doc("Python's str.split of each string, as a sparse matrix; an empty sep stands for white space.");

}  // namespace dfrun
