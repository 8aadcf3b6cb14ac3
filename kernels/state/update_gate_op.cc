#include "src/framework/op/op.h"

namespace dfrun {
namespace {

// Looks at each element of all inputs.
OpCost ScanAllCost(const CostContext& c) {
  double elements = 0;
  for (int i = 0; i < c.num_inputs(); ++i) elements += c.input_elements(i);
  return WholeCost(c, elements);
}

}  // namespace

OP("_FirstNotFinite")
    .Input("values: T")
    .Output("found: int32")
    .Attr("T: list({float, double, half, bfloat16, complex64, complex128, int32})")
    .Attr("numbers: list(int) = []")
    .NotDifferentiable()
    .Shape(ScalarOutputs())
    .Own()
    .Cost(&ScanAllCost)
    .Doc(
        "The least number of the values that are not finite, 0 where all are. `numbers` are those of the values, "
        "without it 1, 2, 3 and so on. An int32 is what another such node found.");

OP("_UpdateGate")
    .Input("values: T")
    .Output("found: int32")
    .Attr("T: list({float, double, half, bfloat16, complex64, complex128, int32})")
    .Attr("numbers: list(int) = []")
    .Stateful()
    .NotDifferentiable()
    .Shape(ScalarOutputs())
    .Own()
    .Cost(&ScanAllCost)
    .Doc("As _FirstNotFinite; where it finds a value, the executor leaves out the updates that wait for it.");

OP("_DeviceUpdateGate")
    .Input("values: T")
    .Output("open: int32")
    .Attr("T: list({float, double, half, bfloat16, complex64, complex128, int32})")
    .Attr("numbers: list(int) = []")
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
