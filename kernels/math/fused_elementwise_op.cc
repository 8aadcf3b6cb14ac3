#include <algorithm>
#include <string>
#include <vector>

#include "src/framework/op.h"

namespace dfrun {
namespace {

// Of a step "Mul 0 2": one operation an element, but of AddN one less than it has operands.
double StepFlops(const std::string& step) {
  return std::max<double>(1, static_cast<double>(std::count(step.begin(), step.end(), ' ')) - 1);
}

OpCost FusedElementwiseCost(const CostContext& c) {
  double flops = 0;
  for (const std::string& step : c.attr<std::vector<std::string>>("steps", {})) flops += StepFlops(step);
  const auto joined = c.attr<std::vector<int64_t>>("joined", {});
  const double elements = c.output_elements(0) / (joined.empty() ? 1 : static_cast<double>(joined[0]));
  return WholeCost(c, flops * elements);
}

PartialShape WithLastSize(PartialShape shape, int64_t size) {
  if (shape.rank() > 0) shape.set_dim(shape.rank() - 1, size);
  return shape;
}

Status FusedElementwiseShape(InferenceContext& c) {
  DF_ASSIGN(const std::vector<int64_t> scalars, c.attr<std::vector<int64_t>>("scalars"));
  DF_ASSIGN(const std::vector<int64_t> first_columns, c.attr<std::vector<int64_t>>("first_columns"));
  DF_ASSIGN(const std::vector<int64_t> joined, c.attr<std::vector<int64_t>>("joined"));
  DF_ASSIGN(PartialShape shape, c.attr<PartialShape>("shape"));
  const int64_t columns = shape.IsFullyDefined() && shape.rank() > 0 ? shape.dims().back() : 0;
  for (int i = 0; i < c.num_inputs(); ++i) {
    if (std::find(scalars.begin(), scalars.end(), i) != scalars.end()) continue;
    const bool is_slice = static_cast<size_t>(i) < first_columns.size() && first_columns[static_cast<size_t>(i)] >= 0;
    if (is_slice) continue;
    DF_ASSIGN(shape, shape.Merge(c.input(i)));
  }
  for (int i = 0; i < c.num_outputs(); ++i) {
    const int64_t parts = static_cast<size_t>(i) < joined.size() ? joined[static_cast<size_t>(i)] : 1;
    int64_t size = 0;
    if (parts != 1 && __builtin_mul_overflow(parts, columns, &size)) {
      return InvalidArgument("attr 'joined' makes rows of more columns than there can be");
    }
    c.set_output(i, parts == 1 ? shape : WithLastSize(shape, size));
  }
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
    .Attr("joined: list(int) = []")
    .Attr("T: {float} = DT_FLOAT")
    .Shape(&FusedElementwiseShape)
    .NotDifferentiable()
    .Own()
    .Cost(&FusedElementwiseCost)
    .Doc(
        "Element-wise ops in one pass: made when a graph is optimised. A step is an op and the numbers of its "
        "operands, "
        "'Mul 0 2'; numbers are of the inputs first and then of the steps' results. Inputs in scalars have one "
        "element. "
        "With a shape, which is all values', inputs and outputs may have longer rows: of an input with a first column, "
        "whose elements lie evenly in as many rows, the columns from there on are taken; joined says how many outputs' "
        "values stand beside each other in one.");

}  // namespace
}  // namespace dfrun
