// Tensors made of one value, and sequences.
#include <algorithm>
#include <cmath>

#include "kernels/array/int_values.h"
#include "src/framework/op.h"

namespace dfrun {
namespace {

OP("Fill")
    .Input("dims: index_type")
    .Input("value: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("index_type: {int32, int64} = DT_INT32")
    .Shape([](InferenceContext& c) -> Status {
      DF_TRY(c.WithRank(0, 1).status());
      DF_TRY(c.WithRank(1, 0).status());
      if (const Tensor* dims = c.input_value(0)) DF_TRY(ShapeValue(*dims, "the shape to fill").status());
      c.set_output(0, c.input_as_shape(0));
      return Status();
    })
    .Gradient([](GradientBuilder& g) {
      const Output zero = g.Const(Tensor::Scalar<int32_t>(0));
      const Output one = g.Const(Tensor::Scalar<int32_t>(1));
      g.dx(1) = g.Op("Sum", g.dy(0), g.Op("Range", zero, g.Op("Rank", g.dy(0)), one));
    })
    .Doc("A tensor of the given shape whose elements are all `value`.");

OP("ZerosLike")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: type")
    .Shape(SameAsInput(0))
    .NotDifferentiable()
    .Doc("Zeros of the shape of x.");

OP("OnesLike")
    .Input("x: T")
    .Output("y: T")
    .Attr(
        "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64, complex64, "
        "complex128, bool}")
    .Shape(SameAsInput(0))
    .NotDifferentiable()
    .Doc("Ones of the shape of x.");

// The number of steps of `delta` from `start` up to `limit`; nothing where an input is not known or makes no sense,
// which the kernel then reports.
PartialShape RangeLength(const InferenceContext& c) {
  const Tensor* start = c.input_value(0);
  const Tensor* limit = c.input_value(1);
  const Tensor* delta = c.input_value(2);
  if (start == nullptr || limit == nullptr || delta == nullptr || !IsInteger(start->dtype()))
    return {PartialShape::kUnknown};
  if (start->num_elements() != 1 || limit->num_elements() != 1 || delta->num_elements() != 1)
    return {PartialShape::kUnknown};
  const double step = static_cast<double>(IntValues(*delta)[0]);
  if (step == 0) return {PartialShape::kUnknown};
  const double steps =
      std::ceil((static_cast<double>(IntValues(*limit)[0]) - static_cast<double>(IntValues(*start)[0])) / step);
  if (std::abs(steps) > 1e15) return {PartialShape::kUnknown};
  return {std::max<int64_t>(0, static_cast<int64_t>(steps))};
}

OP("Range")
    .Input("start: Tidx")
    .Input("limit: Tidx")
    .Input("delta: Tidx")
    .Output("output: Tidx")
    .Attr("Tidx: {bfloat16, half, float, double, int8, int16, int32, int64, uint16, uint32, uint64} = DT_INT32")
    .Shape([](InferenceContext& c) -> Status {
      for (int i = 0; i < 3; ++i) DF_TRY(c.WithRank(i, 0).status());
      c.set_output(0, RangeLength(c));
      return Status();
    })
    .NotDifferentiable()
    .Doc("start, start + delta, ... up to, but without, limit.");

OP("LinSpace")
    .Input("start: T")
    .Input("stop: T")
    .Input("num: Tidx")
    .Output("output: T")
    .Attr("T: {bfloat16, half, float, double}")
    .Attr("Tidx: {int32, int64} = DT_INT32")
    .Shape([](InferenceContext& c) -> Status {
      for (int i = 0; i < 3; ++i) DF_TRY(c.WithRank(i, 0).status());
      DF_ASSIGN(const auto num, KnownIntScalar(c, 2, "the number of points"));
      if (num && *num <= 0) return InvalidArgument("LinSpace needs a positive number of points, not ", *num);
      c.set_output(0, PartialShape({num.value_or(PartialShape::kUnknown)}));
      return Status();
    })
    .NotDifferentiable()
    .Doc("`num` points from start to stop at equal distances.");

}  // namespace
}  // namespace dfrun
