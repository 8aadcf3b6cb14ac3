#include "src/framework/op.h"

namespace dfrun {
namespace {

// Looks at each element of all inputs.
OpCost ScanAllCost(const CostContext& c) {
  double elements = 0;
  for (int i = 0; i < c.num_inputs(); ++i) elements += c.input_elements(i);
  return WholeCost(c, elements);
}

}  // namespace

OP("_UpdateGate")
    .Input("values: T")
    .Output("finite: bool")
    .Attr("T: list({float, double, half, bfloat16})")
    .Stateful()
    .NotDifferentiable()
    .Shape(ScalarOutputs())
    .Own()
    .Cost(&ScanAllCost)
    .Doc("Whether all values are finite; where not, the executor leaves out the updates that wait for it.");

OP("_DeviceUpdateGate")
    .Input("values: T")
    .Output("open: int32")
    .Attr("T: list({float, double, half, bfloat16})")
    .Stateful()
    .NotDifferentiable()
    .Shape(ScalarOutputs())
    .Own()
    .Cost(&ScanAllCost)
    .Doc("1 where all values are finite, else 0, for updates that are recorded with it.");

OP("_NotFiniteValues")
    .Input("values: T")
    .Output("report: string")
    .Attr("T: list(type)")
    .Attr("names: list(string)")
    .Stateful()
    .NotDifferentiable()
    .Shape(ScalarOutputs())
    .Own()
    .Cost(&ScanAllCost)
    .Doc("What is not finite in the values, a sentence that gives their names; empty where all are.");

}  // namespace dfrun
