// Running sums and products, and linear recurrences.
#include <utility>

#include "kernels/math/functions/gradients.h"
#include "kernels/math/functions/signatures.h"

namespace dfrun {
namespace {

template <const char* kTypes>
void CumulativeOp(OpBuilder& op) {
  op.Input("x: T")
      .Input("axis: Tidx")
      .Output("out: T")
      .Attr("exclusive: bool = false")
      .Attr("reverse: bool = false")
      .Attr(kTypes)
      .Attr("Tidx: {int32, int64} = DT_INT32")
      .Shape(SameAsInput(0))
      .Rows(RowsUnlessAxis(1));
}

template <const char* kTypes>
void RecurrenceOp(OpBuilder& op) {
  op.Input("slope: T")
      .Input("offset: T")
      .Input("axis: Tidx")
      .Output("out: T")
      .Attr("exclusive: bool = false")
      .Attr("reverse: bool = false")
      .Attr(kTypes)
      .Attr("Tidx: {int32, int64} = DT_INT32")
      .Shape([](InferenceContext& c) -> Status {
        DF_ASSIGN(PartialShape shape, c.input(0).Merge(c.input(1)));
        c.set_output(0, std::move(shape));
        return Status();
      });
}

AttrMap ScanForm(bool exclusive, bool reverse) {
  return {{"exclusive", exclusive}, {"reverse", reverse}};
}

AttrMap Reversed(GradientBuilder& g) {
  return ScanForm(g.attr<bool>("exclusive"), !g.attr<bool>("reverse"));
}

// The node's input that names the axis.
Output AxisOf(const NodeBuilder& b) {
  return b.x(b.num_inputs() - 1);
}

// The gradient that reaches each y of the steps y = slope * y' + offset: its own dy, and slope times the gradient that
// reaches the next step. No slope divides, so it is right at zeros.
Output ReachingSteps(GradientBuilder& g, Output slope) {
  const Output dy = g.dy(0);
  const AttrMap form = ScanForm(true, !g.attr<bool>("reverse"));
  if (g.attr<bool>("exclusive")) return g.Op("LinearRecurrence", form, slope, dy, AxisOf(g));
  return g.Op("AddV2", dy, g.Op("LinearRecurrence", form, slope, g.Op("Mul", slope, dy), AxisOf(g)));
}

// The result as it was before each step.
Output BeforeSteps(GradientBuilder& g, const char* op, std::initializer_list<Output> inputs) {
  if (g.attr<bool>("exclusive")) return g.y(0);
  return g.AddNode(op, inputs, ScanForm(true, g.attr<bool>("reverse")));
}

// The sum over s up to i of offset[s] and the slopes after s up to i, from tensors with an axis for both: n times the
// memory, but nothing that divides.
LoweredNode LowerRecurrence(NodeBuilder& b) {
  const bool exclusive = b.attr<bool>("exclusive");
  const bool reverse = b.attr<bool>("reverse");
  const Output one = b.Const(Tensor::Scalar<int32_t>(1));
  const Output rank = b.Op("Rank", b.x(0));
  const Output given = b.Op("Cast", AttrMap{{"DstT", DType::kInt32}}, AxisOf(b));
  const Output from_axis = b.Op("FloorMod", b.Op("AddV2", given, rank), rank);
  const Output to_axis = b.Op("AddV2", from_axis, one);
  const Output position = b.Op("Cumsum", b.Op("Fill", b.Op("Shape", b.x(0)), one), from_axis);
  const Output to = b.Op("ExpandDims", position, from_axis);
  const Output from = b.Op("ExpandDims", position, to_axis);
  const Output is_later = b.Op(reverse ? "Less" : "Greater", to, from);
  const Output is_counted = exclusive ? is_later : b.Op(reverse ? "LessEqual" : "GreaterEqual", to, from);
  const Output slopes = b.Op("SelectV2", is_later, b.Op("ExpandDims", b.x(0), from_axis), b.ScalarLike(b.x(0), 1));
  const Output products = b.Op("Cumprod", ScanForm(exclusive, reverse), slopes, to_axis);
  const Output counted = b.Op("SelectV2", is_counted, products, b.ScalarLike(b.x(0), 0));
  return {"Sum", {b.Op("Mul", counted, b.Op("ExpandDims", b.x(1), to_axis)), from_axis}};
}

OP("Cumsum")
    .As(CumulativeOp<kNumbers>)
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("Cumsum", Reversed(g), g.dy(0), g.x(1)); })
    .Doc("The sums of the elements up to each along an axis.");

OP("Cumprod")
    .As(CumulativeOp<kNumbers>)
    .Gradient([](GradientBuilder& g) {
      const Output reaching = ReachingSteps(g, Conj(g, g.x(0)));
      g.dx(0) = g.Op("Mul", reaching, Conj(g, BeforeSteps(g, "Cumprod", {g.x(0), g.x(1)})));
    })
    .Doc("The products of the elements up to each along an axis.");

OP("LinearRecurrence")
    .As(RecurrenceOp<kComplexFloats>)
    .Gradient([](GradientBuilder& g) {
      const Output reaching = ReachingSteps(g, Conj(g, g.x(0)));
      const Output before = BeforeSteps(g, "LinearRecurrence", {g.x(0), g.x(1), g.x(2)});
      g.dx(0) = g.Op("Mul", reaching, Conj(g, before));
      g.dx(1) = reaching;
    })
    .OwnLoweredBy(&LowerRecurrence)
    .Cost(ElementwiseCost(2))
    .Rows(RowsUnlessAxis(2))
    .Doc("out[i] = slope[i] * out[i - 1] + offset[i] along an axis, from 0; exclusive: out[i - 1] (dfrun's own).");

}  // namespace
}  // namespace dfrun
