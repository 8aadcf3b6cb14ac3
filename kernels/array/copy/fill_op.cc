// Tensors made of one value, and sequences.
#include "kernels/array/copy/range_count.h"
#include "kernels/array/int_values.h"
#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

using Element = ConstantInts::Element;

MaybeConstant RangeConstant(const ConstantContext& c) {
  const Element start = c.single(0);
  const Element limit = c.single(1);
  const Element delta = c.single(2);
  if (!start || !limit || !delta || *delta == 0) return std::nullopt;
  ConstantInts out;
  int64_t at = *start;
  while (*delta > 0 ? at < *limit : at > *limit) {
    if (out.elements.size() == ConstantInts::kMaxElements) return std::nullopt;
    out.elements.emplace_back(at);
    if (__builtin_add_overflow(at, *delta, &at)) break;
  }
  return out;
}

MaybeConstant FillConstant(const ConstantContext& c) {
  const MaybeConstant dims = c.vector(0);
  const MaybeConstant value = c.input(1);
  if (!dims || !value || dims->elements.size() > 1) return std::nullopt;
  if (dims->elements.empty()) return ConstantInts::Scalar(value->elements[0]);
  const Element n = dims->elements[0];
  if (!n || *n < 0 || *n > static_cast<int64_t>(ConstantInts::kMaxElements)) return std::nullopt;
  return ConstantInts::Vector(std::vector<Element>(static_cast<size_t>(*n), value->elements[0]));
}

// One value in all rows, of which there are a multiple of the samples.
SampleRows FilledRows(const RowContext& c, int output) {
  const PartialShape& shape = c.output_shape(output);
  const bool is_filled = c.rows(0).kind == SampleRows::Kind::kBatchSize && c.rows(1).is_none();
  if (!is_filled || !shape.known_rank() || shape.rank() == 0 || c.samples() <= 0) return SampleRows::Mixed();
  const bool is_multiple = shape.dim(0) > 0 && shape.dim(0) % c.samples() == 0;
  return is_multiple ? SampleRows::Rows(shape.dim(0) / c.samples()) : SampleRows::Mixed();
}

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
    .ConstantValue(&FillConstant)
    .Total()
    .Cost(CopyCost())
    .Rows(&FilledRows)
    .Doc("A tensor of the given shape whose elements are all `value`.");

OP("ZerosLike")
    .Input("x: T")
    .Output("y: T")
    .Attr("T: type")
    .Shape(SameAsInput(0))
    .NotDifferentiable()
    .HandleOf(HandleContent::Like(0))
    .Total()
    .Cost(FillCost())
    .Rows(RowsOfElements())
    .Doc("Zeros of the shape of x.");

OP("OnesLike")
    .Input("x: T")
    .Output("y: T")
    .Attr(
        "T: {bfloat16, half, float, double, int8, uint8, int16, uint16, int32, uint32, int64, uint64, complex64, "
        "complex128, bool}")
    .Shape(SameAsInput(0))
    .NotDifferentiable()
    .Total()
    .Cost(FillCost())
    .Rows(RowsOfElements())
    .Doc("Ones of the shape of x.");

// The number of steps of `delta` from `start` up to `limit`, where all three are known. Numbers of 16 bits are left to
// the kernel.
Result<int64_t> RangeLength(const InferenceContext& c) {
  const Tensor* start = c.input_value(0);
  const Tensor* limit = c.input_value(1);
  const Tensor* delta = c.input_value(2);
  Result<int64_t> count = PartialShape::kUnknown;
  if (start == nullptr || limit == nullptr || delta == nullptr) return count;
  VisitDType<float, double, int32_t, int64_t>(start->dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    count = RangeCount<T>(start->scalar<T>(), limit->scalar<T>(), delta->scalar<T>());
  });
  return count;
}

OP("Range")
    .Input("start: Tidx")
    .Input("limit: Tidx")
    .Input("delta: Tidx")
    .Output("output: Tidx")
    .Attr("Tidx: {bfloat16, half, float, double, int8, int16, int32, int64, uint16, uint32, uint64} = DT_INT32")
    .Shape([](InferenceContext& c) -> Status {
      for (int i = 0; i < 3; ++i) DF_TRY(c.WithRank(i, 0).status());
      DF_ASSIGN(const int64_t count, RangeLength(c));
      c.set_output(0, PartialShape({count}));
      return Status();
    })
    .Gradient([](GradientBuilder& g) {
      const Output zero = g.Const(Tensor::Scalar<int32_t>(0));
      const Output numbers = g.Op("Range", zero, g.Op("Size", g.dy(0)), g.Const(Tensor::Scalar<int32_t>(1)));
      const Output axis = g.Const<int32_t>({0});
      g.dx(0) = g.Op("Sum", g.dy(0), axis);
      const Output steps = g.Op("Cast", {{"DstT", g.dtype(g.y(0))}}, numbers);
      g.dx(2) = g.Op("Sum", g.Op("Mul", g.dy(0), steps), axis);
    })
    .GradientEnds(GradientFlow::kZero, {"limit"})
    .ConstantValue(&RangeConstant)
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
    .Gradient([](GradientBuilder& g) {
      const Output one = g.ScalarLike(g.x(0), 1);
      const Output zero = g.ScalarLike(g.x(0), 0);
      const Output axis = g.Const<int32_t>({0});
      g.dx(0) = g.Op("Sum", g.Op("Mul", g.dy(0), g.Op("LinSpace", one, zero, g.x(2))), axis);
      g.dx(1) = g.Op("Sum", g.Op("Mul", g.dy(0), g.Op("LinSpace", zero, one, g.x(2))), axis);
    })
    .Doc("`num` points from start to stop at equal distances.");

}  // namespace
}  // namespace dfrun
