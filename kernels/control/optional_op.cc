// Optionals: values that a branch passes to the gradient of its conditional, present or not.
#include <vector>

#include "src/framework/op/op.h"

namespace dfrun {
namespace {

OP("OptionalFromValue")
    .Input("components: Toutput_types")
    .Output("optional: variant")
    .Attr("Toutput_types: list(type) >= 1")
    .Shape(ScalarOutputs())
    .Gradient([](GradientBuilder& g) {
      std::vector<PartialShape> shapes;
      shapes.reserve(static_cast<size_t>(g.num_inputs()));
      for (int i = 0; i < g.num_inputs(); ++i) shapes.push_back(g.shape(g.x(i)));
      const AttrMap attrs = {{"output_types", g.attr<std::vector<DType>>("Toutput_types")}, {"output_shapes", shapes}};
      const AddedNode components = g.Op("OptionalGetValue", attrs, g.dy(0));
      for (int i = 0; i < g.num_inputs(); ++i) g.dx(i) = components[i];
    })
    .Cost(NoCost())
    .Doc("An optional that holds `components`.");

OP("OptionalNone")
    .Output("optional: variant")
    .Shape(ScalarOutputs())
    .NotDifferentiable()
    .Cost(NoCost())
    .Doc("An optional that holds nothing.");

OP("OptionalHasValue")
    .Input("optional: variant")
    .Output("has_value: bool")
    .Shape(ScalarOutputs())
    .NotDifferentiable()
    .Cost(NoCost())
    .Doc("Whether an optional holds values.");

OP("OptionalGetValue")
    .Input("optional: variant")
    .Output("components: output_types")
    .Attr("output_types: list(type) >= 1")
    .Attr("output_shapes: list(shape) >= 1")
    .Gradient([](GradientBuilder& g) {
      std::vector<Output> components;
      components.reserve(static_cast<size_t>(g.num_outputs()));
      for (int i = 0; i < g.num_outputs(); ++i) components.push_back(g.dy(i));
      g.dx(0) = g.AddNode("OptionalFromValue", components, {});
    })
    .Shape([](InferenceContext& c) {
      DF_ASSIGN(const std::vector<PartialShape> shapes, c.attr<std::vector<PartialShape>>("output_shapes"));
      if (static_cast<int>(shapes.size()) != c.num_outputs()) {
        return InvalidArgument("output_shapes has ", shapes.size(), " shapes for ", c.num_outputs(), " components");
      }
      for (int i = 0; i < c.num_outputs(); ++i) c.set_output(i, shapes[i]);
      return Status();
    })
    .Cost(NoCost())
    .Doc("The values that an optional holds; InvalidArgument if it holds none, or others.");

}  // namespace
}  // namespace dfrun
