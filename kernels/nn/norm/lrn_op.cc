// Local response normalisation and its gradient.
#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

// The cost of an op that does so much for each element per channel of its neighbourhood, and so much beside.
CostFn NeighbourCost(double flops_a_channel, double flops_an_element) {
  return [=](const CostContext& c) {
    const auto radius = static_cast<double>(c.attr<int64_t>("depth_radius", 0));
    return WholeCost(c, c.output_elements(0) * (flops_a_channel * (2 * radius + 1) + flops_an_element));
  };
}

Status LrnShape(InferenceContext& c) {
  DF_ASSIGN(PartialShape shape, c.WithRank(0, 4));
  c.set_output(0, std::move(shape));
  return Status();
}

Status LrnGradShape(InferenceContext& c) {
  DF_ASSIGN(PartialShape shape, c.WithRank(0, 4));
  for (int i : {1, 2}) {
    DF_ASSIGN(shape, shape.Merge(c.input(i)));
  }
  c.set_output(0, std::move(shape));
  return Status();
}

void Attrs(OpBuilder& op) {
  op.Output("output: T").Attr("depth_radius: int = 5").Attr("bias: float = 1.0").Attr("alpha: float = 1.0");
  op.Attr("beta: float = 0.5").Attr("T: {half, bfloat16, float} = float");
}

}  // namespace

OP("LRN")
    .Input("input: T")
    .As(&Attrs)
    .Shape(&LrnShape)
    .Gradient([](GradientBuilder& g) {
      AttrMap attrs;
      for (const char* name : {"depth_radius", "bias", "alpha", "beta"}) attrs.Set(name, *g.attrs().Find(name));
      g.dx(0) = g.Op("LRNGrad", attrs, g.dy(0), g.x(0), g.y(0));
    })
    .Cost(NeighbourCost(2, 3))
    .Rows(RowsOfRank(2))
    .Doc("input * (bias + alpha * s)^-beta, where s sums the squares of the channels up to depth_radius away.");

OP("LRNGrad")
    .Input("input_grads: T")
    .Input("input_image: T")
    .Input("output_image: T")
    .As(&Attrs)
    .Shape(&LrnGradShape)
    .Cost(NeighbourCost(4, 6))
    .Doc("The gradient of LRN by its input.");

}  // namespace dfrun
