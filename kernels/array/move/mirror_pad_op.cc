// A tensor with a border that mirrors it.
#include "kernels/array/int_values.h"
#include "kernels/array/move/mirror_pad.h"
#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

// A dimension with an unknown padding or an unknown size has an unknown result.
Status MirroredShape(InferenceContext& c, Result<int64_t> (*size_of)(int64_t size, const MirrorBorder& border)) {
  const PartialShape& x = c.input(0);
  DF_ASSIGN(const PartialShape paddings, c.WithRank(1, 2));
  const int64_t rank = x.known_rank() ? x.rank() : paddings.dim(0);
  if ((paddings.dim(1) >= 0 && paddings.dim(1) != 2) || (paddings.dim(0) >= 0 && paddings.dim(0) != rank))
    return InvalidArgument("the paddings have shape ", paddings, ", but the input ", x);
  if (rank < 0) return Status();
  PartialShape y = PartialShape::UnknownOfRank(static_cast<int>(rank));
  DF_ASSIGN(const std::string mode, c.attr<std::string>("mode"));
  if (const Tensor* known = c.input_value(1); known != nullptr && x.known_rank()) {
    DF_ASSIGN(const std::vector<MirrorBorder> borders, MirrorBorders(*known, x.rank(), mode));
    for (int d = 0; d < rank; ++d) {
      if (x.dim(d) < 0) continue;
      DF_ASSIGN(const int64_t size, size_of(x.dim(d), borders[d]));
      y.set_dim(d, size);
    }
  }
  c.set_output(0, std::move(y));
  return Status();
}

void MirrorPadding(OpBuilder& op) {
  op.Input("input: T")
      .Input("paddings: Tpaddings")
      .Output("output: T")
      .Attr("T: type")
      .Attr("Tpaddings: {int32, int64} = DT_INT32")
      .Attr("mode: {'REFLECT', 'SYMMETRIC'}");
}

AttrMap Mode(GradientBuilder& g) {
  return {{"mode", g.attr<std::string>("mode")}};
}

OP("MirrorPad")
    .As(MirrorPadding)
    .Shape([](InferenceContext& c) { return MirroredShape(c, MirrorPaddedSize); })
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("MirrorPadGrad", Mode(g), g.dy(0), g.x(1)); })
    .Cost(CopyCost())
    .Rows(RowsIfSameLength())
    .Doc("The input with a border that mirrors it, at (REFLECT) or beyond (SYMMETRIC) its first and last slices.");

OP("MirrorPadGrad")
    .As(MirrorPadding)
    .Shape([](InferenceContext& c) { return MirroredShape(c, MirrorUnpaddedSize); })
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("MirrorPad", Mode(g), g.dy(0), g.x(1)); })
    .Cost(ScanCost())
    .Doc("The input of a MirrorPad gets the sum of its output's gradients at all the elements that copy it.");

}  // namespace
}  // namespace dfrun
