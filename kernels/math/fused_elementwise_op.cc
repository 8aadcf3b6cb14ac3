#include <algorithm>
#include <vector>

#include "src/framework/op.h"

namespace dfrun {
namespace {

Status FusedElementwiseShape(InferenceContext& c) {
  DF_ASSIGN(const std::vector<int64_t> scalars, c.attr<std::vector<int64_t>>("scalars"));
  PartialShape shape;
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (std::find(scalars.begin(), scalars.end(), i) != scalars.end()) continue;
    DF_ASSIGN(shape, shape.Merge(c.input(i)));
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, shape);
  return Status();
}

OP("_FusedElementwise")
    .Input("x: N * T")
    .Output("y: M * T")
    .Attr("N: int >= 1")
    .Attr("M: int >= 1")
    .Attr("steps: list(string)")
    .Attr("outputs: list(int)")
    .Attr("scalars: list(int) = []")
    .Attr("T: {float} = DT_FLOAT")
    .Shape(&FusedElementwiseShape)
    .NotDifferentiable()
    .Doc(
        "Element-wise ops in one pass: made when a graph is optimised. A step is an op and the numbers of its "
        "operands, "
        "'Mul 0 2'; numbers are of the inputs first and then of the steps' results. Inputs in scalars have one "
        "element.");

}  // namespace
}  // namespace dfrun
