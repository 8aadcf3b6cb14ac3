// A tensor with a border of one value.
#include "kernels/array/int_values.h"
#include "kernels/array/weighed_sum.h"
#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

Status PadShape(InferenceContext& c) {
  const PartialShape& x = c.input(0);
  DF_ASSIGN(const PartialShape paddings, c.WithRank(1, 2));
  if (paddings.dim(1) != 2 && paddings.dim(1) != PartialShape::kUnknown)
    return InvalidArgument("the paddings have shape ", paddings, ", but must be [rank, 2]");
  const int64_t rank = x.known_rank() ? x.rank() : paddings.dim(0);
  if (x.known_rank() && paddings.dim(0) >= 0 && paddings.dim(0) != x.rank())
    return InvalidArgument("the paddings have shape ", paddings, ", but the input ", x);
  if (rank < 0) return Status();
  PartialShape y = PartialShape::UnknownOfRank(static_cast<int>(rank));
  if (const Tensor* known = c.input_value(1); known != nullptr && x.known_rank()) {
    const std::vector<int64_t> values = IntValues(*known);
    for (int d = 0; d < rank; ++d) {
      if (values[2 * d] < 0 || values[2 * d + 1] < 0)
        return InvalidArgument("paddings must not be negative, but those of dimension ", d, " are ", values[2 * d],
                               " and ", values[2 * d + 1]);
      int64_t size = x.dim(d);
      if (size < 0) continue;
      if (__builtin_add_overflow(size, values[2 * d], &size) || __builtin_add_overflow(size, values[2 * d + 1], &size))
        return InvalidArgument("the paddings of dimension ", d, " of ", x, " make a size beyond int64");
      y.set_dim(d, size);
    }
  }
  c.set_output(0, std::move(y));
  return Status();
}

// The part of dy that came from the input: it begins where the first column of the paddings says.
void PadGradient(GradientBuilder& g) {
  const DType index = g.dtype(g.x(1));
  const AttrMap type = {{"out_type", index}};
  const Output rank = g.Op("Rank", g.x(0));
  const Output column = g.Op("Slice", g.x(1), g.Const<int32_t>({0, 0}),
                             g.AddNode("Pack", {rank, g.Const(Tensor::Scalar<int32_t>(1))}, {}));
  const Output begin = g.Op("Reshape", column, g.Const<int32_t>({-1}));
  g.dx(0) = g.Op("Slice", g.dy(0), begin, g.Op("Shape", type, g.x(0)));
}

OP("Pad")
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tpaddings: {int32, int64} = DT_INT32")
    .Shape(PadShape)
    .Gradient(PadGradient)
    .Cost(CopyCost())
    .Total()
    .Rows(RowsIfSameLength())
    .Doc("The input with paddings[d, 0] zeros before it and paddings[d, 1] after it in each dimension d.");

OP("PadV2")
    .Input("input: T")
    .Input("paddings: Tpaddings")
    .Input("constant_values: T")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tpaddings: {int32, int64} = DT_INT32")
    .Shape(PadShape)
    .Gradient([](GradientBuilder& g) {
      PadGradient(g);
      g.dx(2) = WeighedSum(g, g.Op("PadV2", g.Op("ZerosLike", g.x(0)), g.x(1), g.ScalarLike(g.x(2), 1)));
    })
    .Cost(CopyCost())
    .Rows(RowsIfSameLength())
    .Doc("The input with paddings[d, 0] times the constant before it and paddings[d, 1] times after it.");

}  // namespace
}  // namespace dfrun
