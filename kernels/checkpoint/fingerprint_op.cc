#include "src/framework/op/op.h"

namespace dfrun {
namespace {

Status VectorOfInputs(InferenceContext& c) {
  c.set_output(0, PartialShape({c.num_inputs()}));
  return Status();
}

// A few operations for each element of all inputs.
OpCost SumAllCost(const CostContext& c) {
  constexpr double kOperations = 6;
  double elements = 0;
  for (int i = 0; i < c.num_inputs(); ++i) elements += c.input_elements(i);
  return WholeCost(c, kOperations * elements);
}

}  // namespace

OP("_VariableFingerprints")
    .Input("values: T")
    .Output("fingerprints: uint64")
    .Attr("T: list(type)")
    .Stateful()
    .NotDifferentiable()
    .Shape(&VectorOfInputs)
    .Own()
    .Cost(&SumAllCost)
    .Doc("The fingerprint of each value, as src/checkpoint/FORMAT.md defines it.");

}  // namespace dfrun
