// QuantizeV2 and Dequantize: from floats to quantised integers and back.
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

constexpr const char* kQuantizedT = "T: {qint8, quint8, qint32, qint16, quint16}";
constexpr const char* kMode = "mode: {'MIN_COMBINED', 'MIN_FIRST', 'SCALED'} = 'MIN_COMBINED'";

// Inputs 1 and 2 are the ends of one range, or of one for each slice along the axis. Gives their shape.
Result<PartialShape> EndsShape(const InferenceContext& c) {
  DF_ASSIGN(const int64_t axis, c.attr<int64_t>("axis"));
  if (axis < -1) return InvalidArgument("axis ", axis, " must be at least -1");
  PartialShape ends = axis == -1 ? PartialShape::Scalar() : PartialShape::UnknownOfRank(1);
  for (int i : {1, 2}) {
    DF_ASSIGN(ends, ends.Merge(c.input(i)));
  }
  if (axis == -1 || !c.input(0).known_rank()) return ends;
  if (axis >= c.input(0).rank()) return InvalidArgument("shape ", c.input(0), " has no dimension ", axis);
  return ends.Merge(PartialShape({c.input(0).dim(static_cast<int>(axis))}));
}

}  // namespace

OP("QuantizeV2")
    .Input("input: float")
    .Input("min_range: float")
    .Input("max_range: float")
    .Output("output: T")
    .Output("output_min: float")
    .Output("output_max: float")
    .Attr(kQuantizedT)
    .Attr(kMode)
    .Attr("round_mode: {'HALF_AWAY_FROM_ZERO', 'HALF_TO_EVEN'} = 'HALF_AWAY_FROM_ZERO'")
    .Attr("narrow_range: bool = false")
    .Attr("axis: int = -1")
    .Attr("ensure_minimum_range: float = 0.01")
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(const PartialShape ends, EndsShape(c));
      c.set_output(0, c.input(0));
      c.set_output(1, ends);
      c.set_output(2, ends);
      return Status();
    })
    .Cost(ElementwiseCost(4))
    .Doc("Floats as integers that represent points of a range, which is widened to hold 0; and that range.");

OP("Dequantize")
    .Input("input: T")
    .Input("min_range: float")
    .Input("max_range: float")
    .Output("output: dtype")
    .Attr(kQuantizedT)
    .Attr(kMode)
    .Attr("narrow_range: bool = false")
    .Attr("axis: int = -1")
    .Attr("dtype: {bfloat16, float} = float")
    .Shape([](InferenceContext& c) -> Status {
      DF_TRY(EndsShape(c).status());
      c.set_output(0, c.input(0));
      return Status();
    })
    .Cost(ElementwiseCost(2))
    .Doc("The floats that quantised integers stand for in a range.");

}  // namespace dfrun
