// Reductions of rows by sorted segment ids.
#include "kernels/math/segment_signatures.h"

namespace dfrun {
namespace {

Status SegmentShape(InferenceContext& c) {
  DF_ASSIGN(const PartialShape data, c.WithRankAtLeast(0, 1));
  DF_TRY(c.WithRank(1, 1).status());
  c.set_output(0, RowsOf(PartialShape::kUnknown, data, 1));
  return Status();
}

template <const char* kTypes>
void SegmentOp(OpBuilder& op) {
  op.Input("data: T")
      .Input("segment_ids: Tindices")
      .Output("output: T")
      .Attr(kTypes)
      .Attr("Tindices: {int32, int64}")
      .Shape(SegmentShape)
      .Cost(ScanCost());
}

Output Pick(GradientBuilder& g, Output rows) {
  return g.Op("Gather", rows, g.x(1));
}
Output Sum(GradientBuilder& g, Output rows) {
  return g.Op("SegmentSum", rows, g.x(1));
}
Output Prod(GradientBuilder& g, Output rows) {
  return g.Op("SegmentProd", rows, g.x(1));
}
void SegmentExtremeGradient(GradientBuilder& g) {
  ExtremeOfSegmentGradient(g, Pick, Sum);
}

OP("SegmentSum")
    .As(SegmentOp<kNumbers>)
    .Gradient([](GradientBuilder& g) { g.dx(0) = Pick(g, g.dy(0)); })
    .Doc("output[s] is the sum of the rows of data whose segment id is s.");

OP("SegmentMean")
    .As(SegmentOp<kNumbers>)
    .Gradient([](GradientBuilder& g) {
      // The rows of each segment are counted as columns that broadcast against dy.
      const Output one = g.Const(Tensor::Scalar<int32_t>(1));
      const Output extra = g.Op("Reshape", g.Op("Sub", g.Op("Rank", g.x(0)), one), g.Const<int32_t>({1}));
      const Output axis = g.Const(Tensor::Scalar<int32_t>(0));
      const Output shape = g.Op("ConcatV2", AttrMap{{"N", 2}}, g.Op("Shape", g.x(1)), g.Op("Fill", extra, one), axis);
      const Output counts = Sum(g, g.Op("Fill", shape, g.ScalarLike(g.x(0), 1)));
      g.dx(0) = Pick(g, g.Op("RealDiv", g.dy(0), counts));
    })
    .Doc("output[s] is the mean of the rows of data whose segment id is s, 0 where there are none.");

OP("SegmentProd")
    .As(SegmentOp<kNumbers>)
    .Gradient([](GradientBuilder& g) { ProductOfSegmentGradient(g, Pick, Sum, Prod); })
    .Doc("output[s] is the product of the rows of data whose segment id is s.");

OP("SegmentMax")
    .As(SegmentOp<kRealNumbers>)
    .Gradient(SegmentExtremeGradient)
    .Doc("output[s] is the largest of the rows of data whose segment id is s, 0 where there are none.");

OP("SegmentMin")
    .As(SegmentOp<kRealNumbers>)
    .Gradient(SegmentExtremeGradient)
    .Doc("output[s] is the smallest of the rows of data whose segment id is s, 0 where there are none.");

}  // namespace
}  // namespace dfrun
