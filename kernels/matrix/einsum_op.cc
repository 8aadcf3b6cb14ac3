// Einsum: signature and shape.
#include <algorithm>
#include <vector>

#include "kernels/matrix/einsum_equation.h"
#include "kernels/matrix/einsum_gradient.h"
#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

// A product and a sum for each combination of labels; of a single operand, a sum.
OpCost EinsumCost(const CostContext& c) {
  std::vector<PartialShape> inputs;
  inputs.reserve(c.num_inputs());
  for (int i = 0; i < c.num_inputs(); ++i) inputs.push_back(c.input(i));
  const bool of_known_rank = std::all_of(inputs.begin(), inputs.end(), [](const auto& s) { return s.known_rank(); });
  const Result<EinsumEquation> equation = EinsumEquation::Parse(c.attr<std::string>("equation", ""));
  if (!of_known_rank || !equation.ok()) return WholeCost(c, kUnknownCount);
  const Result<EinsumDims> dims = MatchEinsum(*equation, inputs);
  if (!dims.ok()) return WholeCost(c, kUnknownCount);
  PartialShape all = PartialShape::Scalar();
  for (const auto& [label, size] : dims->sizes) all.Append(size);
  return WholeCost(c, (inputs.size() == 2 ? 2 : 1) * ElementCount(all));
}

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

// The output's first label counts the rows, where it is the first of each operand that depends on the batch, and stands
// nowhere else.
SampleRows EinsumRows(const RowContext& c, int output) {
  const Result<std::string> text = c.attrs().Get<std::string>("equation");
  const Result<EinsumEquation> equation = text.ok() ? EinsumEquation::Parse(*text) : text.status();
  if (!equation.ok() || equation->output.before.empty()) return SampleRows::Mixed();
  const char rows = equation->output.before[0];
  const auto times = [rows](const EinsumSubscript& operand) {
    const std::string labels = operand.before + operand.after;
    return std::count(labels.begin(), labels.end(), rows);
  };
  std::vector<int> inputs;
  for (size_t i = 0; i < equation->inputs.size(); ++i) {
    const EinsumSubscript& operand = equation->inputs[i];
    if (times(operand) == 0) continue;
    if (times(operand) > 1 || operand.before.empty() || operand.before[0] != rows) return SampleRows::Mixed();
    inputs.push_back(static_cast<int>(i));
  }
  return inputs.empty() || times(equation->output) > 1 ? SampleRows::Mixed() : RowsOfInputs(inputs)(c, output);
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
    .Cost(&EinsumCost)
    .Rows(&EinsumRows)
    .Doc("The sum of products of one or two tensors that an equation of dimension labels names.");

}  // namespace dfrun
