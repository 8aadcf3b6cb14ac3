// Floats rounded to the few values that a quantised tensor could hold, for training; gradients pass as if they had not
// been rounded.
#include <utility>

#include "src/framework/op/op.h"

namespace dfrun {
namespace {

void Bits(OpBuilder& op) {
  op.Attr("num_bits: int = 8").Attr("narrow_range: bool = false");
}

void FixedRange(OpBuilder& op) {
  op.Attr("min: float = -6.0").Attr("max: float = 6.0").As(Bits).Shape(SameAsInput(0));
}

// `x` is rounded, of which inputs `low` and the one after it are the ends of one range, or of one a channel.
template <bool kPerChannel>
Status RangeShape(InferenceContext& c, PartialShape x, int low) {
  PartialShape ends = kPerChannel ? PartialShape::UnknownOfRank(1) : PartialShape::Scalar();
  for (int i : {low, low + 1}) {
    DF_ASSIGN(ends, ends.Merge(c.input(i)));
  }
  if (kPerChannel && x.known_rank()) {
    if (x.rank() == 0) return InvalidArgument("a scalar has no channels");
    DF_ASSIGN(ends, ends.Merge(PartialShape({x.dim(x.rank() - 1)})));
    x.set_dim(x.rank() - 1, ends.dim(0));
  }
  c.set_output(0, std::move(x));
  for (int i = 1; i < c.num_outputs(); ++i) c.set_output(i, ends);
  return Status();
}

template <bool kPerChannel>
void Variables(OpBuilder& op) {
  op.Input("inputs: float").Input("min: float").Input("max: float").Output("outputs: float").As(Bits);
  op.Shape([](InferenceContext& c) { return RangeShape<kPerChannel>(c, c.input(0), 1); });
}

template <bool kPerChannel>
void VariablesGradient(OpBuilder& op) {
  op.Input("gradients: float").Input("inputs: float").Input("min: float").Input("max: float");
  op.Output("backprops_wrt_input: float").Output("backprop_wrt_min: float").Output("backprop_wrt_max: float");
  op.As(Bits).NotDifferentiable().GradientEnds(GradientFlow::kNone, {"gradients"});
  op.Shape([](InferenceContext& c) -> Status {
    DF_ASSIGN(PartialShape x, c.input(0).Merge(c.input(1)));
    return RangeShape<kPerChannel>(c, std::move(x), 2);
  });
}

AttrMap SameBits(GradientBuilder& g) {
  return {{"num_bits", g.attr<int64_t>("num_bits")}, {"narrow_range", g.attr<bool>("narrow_range")}};
}

AttrMap SameRange(GradientBuilder& g) {
  AttrMap attrs = SameBits(g);
  attrs.Set("min", g.attr<float>("min"));
  attrs.Set("max", g.attr<float>("max"));
  return attrs;
}

GradientFn OfVariables(const char* op) {
  return [op](GradientBuilder& g) {
    const AddedNode grads = g.Op(op, SameBits(g), g.dy(0), g.x(0), g.x(1), g.x(2));
    for (int i = 0; i < 3; ++i) g.dx(i) = grads[i];
  };
}

}  // namespace

OP("FakeQuantWithMinMaxArgs")
    .Input("inputs: float")
    .Output("outputs: float")
    .As(FixedRange)
    .Gradient([](GradientBuilder& g) {
      g.dx(0) = g.Op("FakeQuantWithMinMaxArgsGradient", SameRange(g), g.dy(0), g.x(0));
    })
    .Cost(ElementwiseCost(6))
    .Doc("inputs rounded to 2^num_bits values from min to max, one of which is 0.");

OP("FakeQuantWithMinMaxArgsGradient")
    .Input("gradients: float")
    .Input("inputs: float")
    .Output("backprops: float")
    .As(FixedRange)
    .Gradient([](GradientBuilder& g) {
      g.dx(0) = g.Op("FakeQuantWithMinMaxArgsGradient", SameRange(g), g.dy(0), g.x(1));
    })
    .GradientEnds(GradientFlow::kZero, {"inputs"})
    .Cost(ElementwiseCost(4))
    .Doc("gradients where the inputs are within the range, else 0.");

OP("FakeQuantWithMinMaxVars")
    .As(Variables<false>)
    .Gradient(OfVariables("FakeQuantWithMinMaxVarsGradient"))
    .Cost(ElementwiseCost(6))
    .Doc("inputs rounded to 2^num_bits values from min to max, one of which is 0.");

OP("FakeQuantWithMinMaxVarsGradient")
    .As(VariablesGradient<false>)
    .Cost(ElementwiseCost(4))
    .Doc("gradients where the inputs are within the range; those below add up for min, those above for max.");

OP("FakeQuantWithMinMaxVarsPerChannel")
    .As(Variables<true>)
    .Gradient(OfVariables("FakeQuantWithMinMaxVarsPerChannelGradient"))
    .Cost(ElementwiseCost(6))
    .Doc("inputs rounded to 2^num_bits values in a range for each index of the last dimension.");

OP("FakeQuantWithMinMaxVarsPerChannelGradient")
    .As(VariablesGradient<true>)
    .Cost(ElementwiseCost(4))
    .Doc("The gradient of FakeQuantWithMinMaxVarsPerChannel by inputs, min and max.");

}  // namespace dfrun
