// Reductions of rows by sorted segment ids.
#include "kernels/math/functions/gradients.h"
#include "kernels/math/segment/segment_signatures.h"

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
      const AttrMap counted = {{"DstT", CountingDType(g.dtype(g.x(0)))}};
      const Output one = g.Op("Cast", counted, g.Const(Tensor::Scalar<int32_t>(1)));
      const Output ones = g.Op("Fill", g.Op("Shape", g.x(1)), one);
      g.dx(0) = Pick(g, OverCounts(g, g.dy(0), Sum(g, AsColumn(g, ones, g.x(0)))));
    })
    .Doc("output[s] is the mean of the rows of data whose segment id is s, 0 where there are none.");

OP("SegmentProd")
    .As(SegmentOp<kNumbers>)
    .Gradient([](GradientBuilder& g) {
      g.dx(0) = g.Op("Mul", Pick(g, g.dy(0)), Conj(g, ProductOfOthers(g, g.x(0), g.x(1))));
    })
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
