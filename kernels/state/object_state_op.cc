// The ops that take the state of an object and give it back.
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

// `maker`: the op of the node that makes the object, or has it to itself; `object`: in the second case its name.
void OfObject(OpBuilder& op) {
  op.Attr("handles: list(type) >= 0").Attr("dtypes: list(type)").Attr("shapes: list(shape)");
  op.Attr("maker: string").Attr("object: string = ''").Stateful().GradientEnds(GradientFlow::kState).Own();
}

Status ShapesOfParts(InferenceContext& c) {
  DF_ASSIGN(const std::vector<PartialShape> shapes, c.attr<std::vector<PartialShape>>("shapes"));
  if (static_cast<int>(shapes.size()) != c.num_outputs()) {
    return InvalidArgument("attr 'shapes' has ", shapes.size(), " entries for ", c.num_outputs(), " outputs");
  }
  for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, shapes[static_cast<size_t>(i)]);
  return Status();
}

void OfVariable(OpBuilder& op) {
  op.Input("resource: resource")
      .Attr("dtype: type")
      .Stateful()
      .GradientEnds(GradientFlow::kState)
      .Own()
      .Cost(CopyCost());
}

OP("_ObjectState")
    .Input("handle: handles")
    .Output("parts: dtypes")
    .As(OfObject)
    .Shape(&ShapesOfParts)
    .Cost(CopyCost())
    .Doc("The state of a queue, a table or another object that outlives steps, as tensors.");

OP("_SetObjectState")
    .Input("handle: handles")
    .Input("parts: dtypes")
    .As(OfObject)
    .Cost(CopyCost())
    .Doc("Brings an object to a state that _ObjectState gave.");

OP("_VariableState")
    .As(OfVariable)
    .Output("value: dtype")
    .Output("is_initialized: bool")
    .Shape([](InferenceContext& c) {
      c.set_output(1, PartialShape::Scalar());
      return Status();
    })
    .OnlyReadsVariables()
    .Doc("The variable's value, an empty vector where it has none, and whether it has one.");

OP("_SetVariableState")
    .As(OfVariable)
    .Input("value: dtype")
    .Input("is_initialized: bool")
    .Doc("Gives the variable back what _VariableState gave.");

}  // namespace
}  // namespace dfrun
