// Ops that call functions of the graph's library. They have no kernels: passes/functions replaces them by the
// functions' nodes before a graph runs. They cost nothing: the nodes do.
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

// The shapes are those of output_shapes if it is given, else unknown.
Status ShapesFromAttr(InferenceContext& c) {
  DF_ASSIGN(const std::vector<PartialShape> shapes, c.attrs().GetOr<std::vector<PartialShape>>("output_shapes", {}));
  if (shapes.empty()) return Status();
  if (static_cast<int>(shapes.size()) != c.num_outputs()) {
    return InvalidArgument("output_shapes has ", shapes.size(), " shapes for ", c.num_outputs(), " outputs");
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, shapes[i]);
  return Status();
}

// The shapes are those of output_shapes if it is given, else those of the inputs.
Status InferLoopShapes(InferenceContext& c) {
  DF_ASSIGN(const std::vector<PartialShape> shapes, c.attrs().GetOr<std::vector<PartialShape>>("output_shapes", {}));
  if (!shapes.empty()) return ShapesFromAttr(c);
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, c.input(i));
  return Status();
}

void Call(OpBuilder& op) {
  op.Input("args: Tin")
      .Output("output: Tout")
      .Attr("Tin: list(type) >= 0")
      .Attr("Tout: list(type) >= 0")
      .Attr("f: func")
      .Attr("config: string = ''")
      .Attr("config_proto: string = ''")
      .Attr("executor_type: string = ''")
      .Shape(UnknownOutputs())
      .Cost(NoCost());
}

void If(OpBuilder& op) {
  op.Input("cond: Tcond")
      .Input("input: Tin")
      .Output("output: Tout")
      .Attr("Tcond: type")
      .Attr("Tin: list(type) >= 0")
      .Attr("Tout: list(type) >= 0")
      .Attr("then_branch: func")
      .Attr("else_branch: func")
      .Attr("output_shapes: list(shape) = []")
      .Shape(&ShapesFromAttr)
      .Cost(NoCost());
}

void While(OpBuilder& op) {
  op.Input("input: T")
      .Output("output: T")
      .Attr("T: list(type) >= 0")
      .Attr("cond: func")
      .Attr("body: func")
      .Attr("output_shapes: list(shape) = []")
      .Attr("parallel_iterations: int = 10")
      .Shape(&InferLoopShapes)
      .Cost(NoCost());
}

void Case(OpBuilder& op) {
  op.Input("branch_index: int32")
      .Input("input: Tin")
      .Output("output: Tout")
      .Attr("Tin: list(type) >= 0")
      .Attr("Tout: list(type) >= 0")
      .Attr("branches: list(func) >= 1")
      .Attr("output_shapes: list(shape) = []")
      .Shape(&ShapesFromAttr)
      .Cost(NoCost());
}

OP("PartitionedCall").As(Call).Doc("The outputs of function f of `args`.");

OP("StatefulPartitionedCall").As(Call).Stateful().Doc("PartitionedCall of a function that has effects.");

OP("If").As(If).Stateful().Doc(
    "then_branch of `input` where `cond` holds, else else_branch: a number holds unless it is zero, a string or a "
    "tensor "
    "of rank 1 and more unless it is empty.");

OP("StatelessIf").As(If).Doc("If with branches that have no effects.");

OP("While").As(While).Stateful().Doc(
    "Applies body to `input`, and again to what that gives, for as long as cond of the values holds.");

OP("StatelessWhile").As(While).Doc("While with functions that have no effects.");

OP("Case").As(Case).Stateful().Doc(
    "The branch that branch_index counts, of `input`; the last one where the index is out of range.");

OP("StatelessCase").As(Case).Doc("Case with branches that have no effects.");

OP("SymbolicGradient")
    .Input("input: Tin")
    .Output("output: Tout")
    .Attr("Tin: list(type) >= 1")
    .Attr("Tout: list(type) >= 1")
    .Attr("f: func")
    .Shape([](InferenceContext& c) {
      if (c.num_inputs() < c.num_outputs()) {
        return InvalidArgument("it has ", c.num_outputs(), " outputs, one an argument of f, but ", c.num_inputs(),
                               " inputs: those arguments, then a gradient for each output of f");
      }
      for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, c.input(i));
      return Status();
    })
    .Cost(NoCost())
    .Doc("The gradients of function f by its arguments, which come first in `input`; then come those by its outputs.");

}  // namespace
}  // namespace dfrun
