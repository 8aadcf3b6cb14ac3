// Einsum: signature and shape.
#include "kernels/matrix/einsum_equation.h"
#include "kernels/matrix/einsum_gradient.h"
#include "src/framework/op.h"

namespace dfrun {
namespace {

Status EinsumShape(InferenceContext& c) {
  DF_ASSIGN(const std::string text, c.attr<std::string>("equation"));
  DF_ASSIGN(const EinsumEquation equation, EinsumEquation::Parse(text));
  std::vector<PartialShape> inputs;
  for (int i = 0; i < c.num_inputs(); ++i) {
    inputs.push_back(c.input(i));
    if (inputs.back().known_rank()) continue;
    const bool rank_follows = i < static_cast<int>(equation.inputs.size()) && !equation.inputs[i].has_ellipsis;
    if (!rank_follows) return Status();
    inputs.back() = PartialShape::UnknownOfRank(equation.inputs[i].num_labels());
  }
  DF_ASSIGN(const EinsumDims dims, MatchEinsum(equation, inputs));
  c.set_output(0, dims.output_shape());
  return Status();
}

}  // namespace

OP("Einsum")
    .Input("inputs: N * T")
    .Output("output: T")
    .Attr("equation: string")
    .Attr("N: int >= 1")
    .Attr("T: type")
    .Shape(&EinsumShape)
    .Gradient(&EinsumGradient)
    .Doc("The sum of products of one or two tensors that an equation of dimension labels names.");

}  // namespace dfrun
