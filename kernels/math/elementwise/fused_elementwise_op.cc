#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "src/framework/op/fused_step.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

// The cost of a step such as "Mul 0 2": one operation an element, but for AddN one less than it has operands.
double StepFlops(const std::string& step) {
  const std::optional<FusedStep> parsed = ParseFusedStep(step);
  return parsed ? std::max<double>(1, static_cast<double>(parsed->operands.size()) - 1) : 1;
}

OpCost FusedElementwiseCost(const CostContext& c) {
  double flops = 0;
  for (const std::string& step : c.attr<std::vector<std::string>>("steps", {})) flops += StepFlops(step);
  return WholeCost(c, flops * c.output_elements(0));
}

Status FusedElementwiseShape(InferenceContext& c) {
  DF_ASSIGN(const std::vector<int64_t> scalars, c.attr<std::vector<int64_t>>("scalars"));
  DF_ASSIGN(const std::vector<int64_t> first_columns, c.attr<std::vector<int64_t>>("first_columns"));
  DF_ASSIGN(PartialShape shape, c.attr<PartialShape>("shape"));
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (std::find(scalars.begin(), scalars.end(), i) != scalars.end()) continue;
    const bool is_slice = static_cast<size_t>(i) < first_columns.size() && first_columns[static_cast<size_t>(i)] >= 0;
    if (is_slice) continue;
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
    .Attr("shape: shape = ?")
    .Attr("first_columns: list(int) = []")
    .Attr("T: {float} = DT_FLOAT")
    .Shape(&FusedElementwiseShape)
    .Own()
    .Cost(&FusedElementwiseCost)
    .Doc(
        "Element-wise ops in one pass: made when a graph is optimised. A step is an op and the numbers of its "
        "operands, "
        "'Mul 0 2'; numbers are of the inputs first and then of the steps' results. Inputs in scalars have one "
        "element. "
        "With a shape, which is all values', inputs may have longer rows: of an input with a first column, whose "
        "elements "
        "lie evenly in as many rows, the columns from there on are taken.");

}  // namespace
}  // namespace dfrun
