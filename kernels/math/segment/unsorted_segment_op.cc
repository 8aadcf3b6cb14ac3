// Reductions of rows by segment ids in any order; the number of segments is an input.
#include "kernels/math/functions/gradients.h"
#include "kernels/math/segment/segment_signatures.h"

namespace dfrun {
namespace {

Status UnsortedSegmentShape(InferenceContext& c) {
  const PartialShape& data = c.input(0);
  const PartialShape& ids = c.input(1);
  DF_ASSIGN(const int64_t segments, KnownRows(c, 2, "the number of segments"));
  if (!data.known_rank() || !ids.known_rank()) return Status();
  const bool fits =
      ids.rank() <= data.rank() &&
      PartialShape(std::vector<int64_t>(data.dims().begin(), data.dims().begin() + ids.rank())).IsCompatibleWith(ids);
  if (!fits) return InvalidArgument("data ", data, " does not begin with the shape of segment_ids, ", ids);
  c.set_output(0, RowsOf(segments, data, ids.rank()));
  return Status();
}

constexpr char kIds[] = "Tindices: {int32, int64}";
constexpr char kIdsOfSum[] = "Tindices: {int16, int32, int64}";

template <const char* kTypes, const char* kIdTypes = kIds>
void UnsortedSegmentOp(OpBuilder& op) {
  op.Input("data: T")
      .Input("segment_ids: Tindices")
      .Input("num_segments: Tnumsegments")
      .Output("output: T")
      .Attr(kTypes)
      .Attr(kIdTypes)
      .Attr("Tnumsegments: {int32, int64} = DT_INT32")
      .Shape(UnsortedSegmentShape)
      .Cost(ScanCost());
}

// Rows with a negative id went nowhere and get zero.
Output PickCounted(GradientBuilder& g, Output values) {
  const Output zero = g.Op("ZerosLike", g.x(1));
  // GatherV2 takes ids of every type; Gather does not.
  const Output rows = g.Op("GatherV2", values, g.Op("Maximum", g.x(1), zero), g.Const(Tensor::Scalar<int32_t>(0)));
  const Output counted = g.Op("GreaterEqual", g.x(1), zero);
  return g.Op("SelectV2", AsColumn(g, counted, rows), rows, g.ScalarLike(values, 0));
}
Output UnsortedSum(GradientBuilder& g, Output rows) {
  return g.Op("UnsortedSegmentSum", rows, g.x(1), g.x(2));
}
void UnsortedExtremeGradient(GradientBuilder& g) {
  ExtremeOfSegmentGradient(g, PickCounted, UnsortedSum);
}

// The rows are sorted by id for that, and back.
void UnsortedProductGradient(GradientBuilder& g) {
  const Output shape = g.Op("Shape", g.x(0));
  const Output zero = g.Const(Tensor::Scalar<int32_t>(0));
  const Output count = g.Op("Size", g.x(1));
  const Output vector = g.Const<int32_t>({1});
  const Output rest = g.Op("Slice", shape, g.Op("Reshape", g.Op("Rank", g.x(1)), vector), g.Const<int32_t>({-1}));
  const Output flat = g.Op("ConcatV2", AttrMap{{"N", 2}}, g.Op("Reshape", count, vector), rest, zero);
  const Output rows = g.Op("Reshape", g.x(0), flat);
  const AddedNode sorted = g.Op("TopKV2", g.Op("Reshape", g.x(1), g.Op("Reshape", count, vector)), count);
  const Output others = ProductOfOthers(g, g.Op("Gather", rows, sorted[1]), sorted[0]);
  const Output in_place = g.Op("Gather", others, g.Op("InvertPermutation", sorted[1]));
  g.dx(0) = g.Op("Mul", PickCounted(g, g.dy(0)), Conj(g, g.Op("Reshape", in_place, shape)));
}

OP("UnsortedSegmentSum")
    .As(UnsortedSegmentOp<kNumbers, kIdsOfSum>)
    .Gradient([](GradientBuilder& g) { g.dx(0) = PickCounted(g, g.dy(0)); })
    .Doc("output[s] is the sum of the slices of data whose segment id is s; negative ids are dropped.");

OP("UnsortedSegmentProd")
    .As(UnsortedSegmentOp<kNumbers>)
    .Gradient(&UnsortedProductGradient)
    .Doc("output[s] is the product of the slices of data whose segment id is s; negative ids are dropped.");

OP("UnsortedSegmentMax")
    .As(UnsortedSegmentOp<kRealNumbers>)
    .Gradient(UnsortedExtremeGradient)
    .Doc(
        "output[s] is the largest of the slices of data whose segment id is s, the lowest number where there are "
        "none.");

OP("UnsortedSegmentMin")
    .As(UnsortedSegmentOp<kRealNumbers>)
    .Gradient(UnsortedExtremeGradient)
    .Doc(
        "output[s] is the smallest of the slices of data whose segment id is s, the highest number where there are "
        "none.");

// TensorFlow registers these for its compiler alone.
OP("SegmentSumV2").As(UnsortedSegmentOp<kNumbers>).Doc("SegmentSum with the number of segments as an input.");
OP("SegmentProdV2").As(UnsortedSegmentOp<kNumbers>).Doc("SegmentProd with the number of segments as an input.");
OP("SegmentMaxV2").As(UnsortedSegmentOp<kRealNumbers>).Doc("SegmentMax with the number of segments as an input.");
OP("SegmentMinV2").As(UnsortedSegmentOp<kRealNumbers>).Doc("SegmentMin with the number of segments as an input.");

}  // namespace
}  // namespace dfrun
