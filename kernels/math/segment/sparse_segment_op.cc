// Reductions of rows picked by index, by sorted segment ids, and their gradients.
#include "kernels/math/segment/segment_signatures.h"

namespace dfrun {
namespace {

// An addition for each element of the rows that the indices pick of input 0, which alone are read.
OpCost PickedRowsCost(const CostContext& c) {
  double row = 1;
  for (int d = 1; d < c.input(0).rank(); ++d) row *= c.input_dim(0, d);
  const double picked = c.input_elements(1) * row;
  return {picked, picked * c.element_bytes(0) + c.bytes_in(1), c.bytes_out()};
}

// Indices and segment ids are vectors of one size.
Status CheckPicks(InferenceContext& c) {
  DF_ASSIGN(const PartialShape indices, c.WithRank(1, 1));
  DF_ASSIGN(const PartialShape ids, c.WithRank(2, 1));
  return indices.Merge(ids).status();
}

Status SparseSegmentShape(InferenceContext& c) {
  DF_ASSIGN(const PartialShape data, c.WithRankAtLeast(0, 1));
  DF_TRY(CheckPicks(c));
  int64_t segments = PartialShape::kUnknown;
  if (c.num_inputs() == 4) {
    DF_ASSIGN(segments, KnownRows(c, 3, "the number of segments"));
  }
  c.set_output(0, RowsOf(segments, data, 1));
  return Status();
}

Status SparseSegmentGradShape(InferenceContext& c) {
  DF_ASSIGN(const PartialShape grad, c.WithRankAtLeast(0, 1));
  DF_TRY(CheckPicks(c));
  DF_ASSIGN(const int64_t rows, KnownRows(c, 3, "the number of rows"));
  if (c.num_outputs() == 1) {
    c.set_output(0, RowsOf(rows, grad, 1));
  } else {
    c.set_output(0, RowsOf(PartialShape::kUnknown, grad, 1));
    c.set_output(1, PartialShape::UnknownOfRank(1));
  }
  return Status();
}

constexpr char kTidx[] = "Tidx: {int32, int64} = DT_INT32";
constexpr char kTsegmentids[] = "Tsegmentids: {int32, int64} = DT_INT32";

template <const char* kTypes>
void SparseSegmentOp(OpBuilder& op) {
  op.Input("data: T")
      .Input("indices: Tidx")
      .Input("segment_ids: Tsegmentids")
      .Output("output: T")
      .Attr(kTypes)
      .Attr(kTidx)
      .Attr(kTsegmentids)
      .Attr("sparse_gradient: bool = false")
      .Shape(SparseSegmentShape)
      .Cost(&PickedRowsCost);
}

template <const char* kTypes>
void SparseSegmentWithCountOp(OpBuilder& op) {
  op.Input("data: T")
      .Input("indices: Tidx")
      .Input("segment_ids: Tsegmentids")
      .Input("num_segments: Tnumsegments")
      .Output("output: T")
      .Attr(kTypes)
      .Attr(kTidx)
      .Attr("Tnumsegments: {int32, int64} = DT_INT32")
      .Attr(kTsegmentids)
      .Attr("sparse_gradient: bool = false")
      .Shape(SparseSegmentShape)
      .Cost(&PickedRowsCost);
}

void GradInputs(OpBuilder& op) {
  op.Input("grad: T").Input("indices: Tidx").Input("segment_ids: Tsegmentids");
}

void GradAttrs(OpBuilder& op) {
  op.Attr(kFloats).Attr(kTidx).Attr(kTsegmentids).Shape(SparseSegmentGradShape).Cost(&PickedRowsCost);
}

void SparseSegmentGradOp(OpBuilder& op) {
  op.As(GradInputs).Input("output_dim0: int32").Output("output: T").As(GradAttrs);
}

void SparseSegmentGradV2Op(OpBuilder& op) {
  op.As(GradInputs)
      .Input("dense_output_dim0: int32")
      .Output("output: T")
      .Output("sorted_unique_indices: Tidx")
      .As(GradAttrs);
}

// The gradient by the op `dense`, or sparse by its V2 form.
GradientFn GradientBy(const char* dense, const char* sparse) {
  return [dense, sparse](GradientBuilder& g) {
    const Output rows = g.Op("Gather", g.Op("Shape", g.x(0)), g.Const(Tensor::Scalar<int32_t>(0)));
    if (g.attr<bool>("sparse_gradient")) {
      const AddedNode made = g.Op(sparse, g.dy(0), g.x(1), g.x(2), rows);
      g.SetSparseGradient(0, made[1], made[0]);
    } else {
      g.dx(0) = g.Op(dense, g.dy(0), g.x(1), g.x(2), rows);
    }
  };
}

const GradientFn sum_gradient = GradientBy("SparseSegmentSumGrad", "SparseSegmentSumGradV2");
const GradientFn mean_gradient = GradientBy("SparseSegmentMeanGrad", "SparseSegmentMeanGradV2");
const GradientFn sqrt_n_gradient = GradientBy("SparseSegmentSqrtNGrad", "SparseSegmentSqrtNGradV2");

OP("SparseSegmentSum")
    .As(SparseSegmentOp<kRealNumbers>)
    .Gradient(sum_gradient)
    .Doc("output[s] is the sum of the rows data[indices[k]] for all k with segment_ids[k] = s.");
OP("SparseSegmentSumWithNumSegments")
    .As(SparseSegmentWithCountOp<kRealNumbers>)
    .Gradient(sum_gradient)
    .Doc("SparseSegmentSum with the number of segments as an input.");

OP("SparseSegmentMean")
    .As(SparseSegmentOp<kFloats>)
    .Gradient(mean_gradient)
    .Doc("output[s] is the mean of the rows data[indices[k]] for all k with segment_ids[k] = s.");
OP("SparseSegmentMeanWithNumSegments")
    .As(SparseSegmentWithCountOp<kFloats>)
    .Gradient(mean_gradient)
    .Doc("SparseSegmentMean with the number of segments as an input.");

OP("SparseSegmentSqrtN")
    .As(SparseSegmentOp<kFloats>)
    .Gradient(sqrt_n_gradient)
    .Doc("SparseSegmentSum divided by the square root of the number of rows of each segment.");
OP("SparseSegmentSqrtNWithNumSegments")
    .As(SparseSegmentWithCountOp<kFloats>)
    .Gradient(sqrt_n_gradient)
    .Doc("SparseSegmentSqrtN with the number of segments as an input.");

OP("SparseSegmentSumGrad").As(SparseSegmentGradOp).Doc("The gradient of SparseSegmentSum.");
OP("SparseSegmentMeanGrad").As(SparseSegmentGradOp).Doc("The gradient of SparseSegmentMean.");
OP("SparseSegmentSqrtNGrad").As(SparseSegmentGradOp).Doc("The gradient of SparseSegmentSqrtN.");
OP("SparseSegmentSumGradV2").As(SparseSegmentGradV2Op).Doc("The rows of SparseSegmentSumGrad that are not zero.");
OP("SparseSegmentMeanGradV2").As(SparseSegmentGradV2Op).Doc("The rows of SparseSegmentMeanGrad that are not zero.");
OP("SparseSegmentSqrtNGradV2").As(SparseSegmentGradV2Op).Doc("The rows of SparseSegmentSqrtNGrad that are not zero.");

}  // namespace
}  // namespace dfrun
