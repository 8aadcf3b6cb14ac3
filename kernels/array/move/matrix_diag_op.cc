// Matrices with given diagonals, and the diagonals of matrices, in batches.
#include "kernels/array/int_values.h"
#include "kernels/array/move/matrix_diag.h"
#include "kernels/array/weighed_sum.h"
#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

constexpr int64_t kUnknown = PartialShape::kUnknown;

PartialShape Prefix(const PartialShape& shape, int drop) {
  return PartialShape({shape.dims().begin(), shape.dims().end() - drop});
}

// The diagonals where input `k` is known; the main diagonal where the op has no such input.
Result<std::optional<DiagonalRange>> KnownRange(const InferenceContext& c, int k) {
  if (k >= c.num_inputs()) return std::optional(DiagonalRange());
  const PartialShape& shape = c.input(k);
  if (shape.known_rank() && shape.rank() > 1) return InvalidArgument("k has shape ", shape, ", but must be a vector");
  if (c.input_value(k) == nullptr) return std::optional<DiagonalRange>();
  DF_ASSIGN(const DiagonalRange range, ReadDiagonalRange(*c.input_value(k)));
  return std::optional(range);
}

// A size that is given, and known, must have room for the diagonals.
Status CheckGivenSize(const char* what, std::optional<int64_t> size, int64_t least) {
  if (!size || *size == -1 || *size >= least) return Status();
  return InvalidArgument(what, " is ", *size, ", but the diagonals need ", least);
}

// MatrixDiag: the matrices' sizes follow from the diagonals where they are not given.
Status DiagShape(InferenceContext& c) {
  DF_ASSIGN(const PartialShape diagonal, c.WithRankAtLeast(0, 1));
  DF_ASSIGN(const auto range, KnownRange(c, 1));
  std::optional<int64_t> rows = -1;
  std::optional<int64_t> cols = -1;
  if (c.num_inputs() > 1) {
    for (int i = 2; i < 5; ++i) DF_TRY(c.WithRank(i, 0).status());
    DF_ASSIGN(rows, KnownIntScalar(c, 2, "num_rows"));
    DF_ASSIGN(cols, KnownIntScalar(c, 3, "num_cols"));
  }
  if (!diagonal.known_rank() || !range) return Status();
  const int packed = range->count() > 1 ? 2 : 1;
  if (diagonal.rank() < packed ||
      (packed == 2 && diagonal.dim(diagonal.rank() - 2) >= 0 && diagonal.dim(diagonal.rank() - 2) != range->count()))
    return InvalidArgument("a diagonal of shape ", diagonal, " does not hold ", range->count(), " diagonals");
  PartialShape y = Prefix(diagonal, packed);
  const int64_t length = diagonal.dim(diagonal.rank() - 1);
  if (rows && cols && length >= 0) {
    DF_ASSIGN(const Band band, BandOfDiagonals(*range, length, *rows, *cols));
    y.Append(band.rows);
    y.Append(band.cols);
  } else {
    if (length >= 0) {
      DF_TRY(CheckGivenSize("num_rows", rows, length - std::min<int64_t>(range->upper, 0)));
      DF_TRY(CheckGivenSize("num_cols", cols, length + std::max<int64_t>(range->lower, 0)));
    }
    y.Append(rows && *rows >= 0 ? *rows : kUnknown);
    y.Append(cols && *cols >= 0 ? *cols : kUnknown);
  }
  c.set_output(0, std::move(y));
  return Status();
}

Status DiagPartShape(InferenceContext& c) {
  DF_ASSIGN(const PartialShape x, c.WithRankAtLeast(0, 2));
  if (c.num_inputs() > 1) DF_TRY(c.WithRank(2, 0).status());
  DF_ASSIGN(const auto range, KnownRange(c, 1));
  if (!x.known_rank() || !range) return Status();
  const int64_t rows = x.dim(x.rank() - 2);
  const int64_t cols = x.dim(x.rank() - 1);
  PartialShape y = Prefix(x, 2);
  if (range->count() > 1) y.Append(range->count());
  if (rows >= 0 && cols >= 0) DF_TRY(CheckDiagonalRange(*range, rows, cols));
  y.Append(rows >= 0 && cols >= 0 ? range->MaxLength(rows, cols) : kUnknown);
  c.set_output(0, std::move(y));
  return Status();
}

Status SetDiagShape(InferenceContext& c) {
  DF_ASSIGN(PartialShape x, c.WithRankAtLeast(0, 2));
  DF_ASSIGN(const PartialShape diagonal, c.WithRankAtLeast(1, 1));
  DF_ASSIGN(const auto range, KnownRange(c, 2));
  if (!x.known_rank() && diagonal.known_rank() && range) {
    const int packed = range->count() > 1 ? 2 : 1;
    if (diagonal.rank() < packed) return InvalidArgument("a diagonal of shape ", diagonal, " is no band of a matrix");
    x = Prefix(diagonal, packed);
    x.Append(kUnknown);
    x.Append(kUnknown);
  }
  if (x.known_rank() && diagonal.known_rank() && range) {
    const int64_t rows = x.dim(x.rank() - 2);
    const int64_t cols = x.dim(x.rank() - 1);
    PartialShape expected = Prefix(x, 2);
    if (range->count() > 1) expected.Append(range->count());
    if (rows >= 0 && cols >= 0) DF_TRY(CheckDiagonalRange(*range, rows, cols));
    expected.Append(rows >= 0 && cols >= 0 ? range->MaxLength(rows, cols) : kUnknown);
    DF_ASSIGN(const PartialShape band, expected.Merge(diagonal));
    for (int d = 0; d < x.rank() - 2; ++d) x.set_dim(d, band.dim(d));
  }
  if (!range && x.known_rank() && diagonal.known_rank() &&
      (diagonal.rank() < x.rank() - 1 || diagonal.rank() > x.rank())) {
    return InvalidArgument("a diagonal of shape ", diagonal, " is no band of matrices of shape ", x);
  }
  c.set_output(0, std::move(x));
  return Status();
}

void Diagonals(OpBuilder& op) {
  op.Input("diagonal: T").Output("output: T").Attr("T: type").Shape(DiagShape);
}
void DiagonalParts(OpBuilder& op) {
  op.Input("input: T").Output("diagonal: T").Attr("T: type").Shape(DiagPartShape);
}
void SetDiagonals(OpBuilder& op) {
  op.Input("input: T").Input("diagonal: T").Output("output: T").Attr("T: type").Shape(SetDiagShape);
}
void BandInputs(OpBuilder& op) {
  op.Input("k: int32").Input("num_rows: int32").Input("num_cols: int32").Input("padding_value: T");
}
void Aligned(OpBuilder& op) {
  op.Attr("align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'");
}

// Gradients are made of the newest version of each op, with this op's alignment.
AttrMap Align(GradientBuilder& g) {
  const Result<std::string> align = g.attrs().Get<std::string>("align");
  return {{"align", align.ok() ? *align : std::string("LEFT_LEFT")}};
}
Output DiagonalOf(GradientBuilder& g, Output matrices, Output k) {
  return g.Op("MatrixDiagPartV3", Align(g), matrices, k, g.ScalarLike(matrices, 0));
}
Output MainDiagonal(GradientBuilder& g) {
  return g.Const(Tensor::Scalar<int32_t>(0));
}

// Sets the gradient of the padding value.
void PaddingGradient(GradientBuilder& g) {
  const Output zeros = g.Op("ZerosLike", g.x(0));
  const int padding = g.num_inputs() - 1;
  const Output one = g.ScalarLike(g.x(padding), 1);
  const Output weights = padding == 4 ? g.Op("MatrixDiagV3", Align(g), zeros, g.x(1), g.x(2), g.x(3), one)
                                      : g.Op("MatrixDiagPartV3", Align(g), zeros, g.x(1), one);
  g.dx(padding) = WeighedSum(g, weights);
}
void BandGradient(GradientBuilder& g) {
  g.dx(0) = DiagonalOf(g, g.dy(0), g.x(1));
  PaddingGradient(g);
}

OP("MatrixDiag")
    .As(Diagonals)
    .Gradient([](GradientBuilder& g) { g.dx(0) = DiagonalOf(g, g.dy(0), MainDiagonal(g)); })
    .Cost(CopyCost())
    .Rows(RowsOfRank(2))
    .Doc("Matrices with the given main diagonals, zeros elsewhere.");
OP("MatrixDiagV2")
    .As(Diagonals)
    .As(BandInputs)
    .Gradient(BandGradient)
    .Cost(CopyCost())
    .Doc("Matrices with the given diagonals, from k[0] to k[1], and a padding value elsewhere.");
OP("MatrixDiagV3")
    .As(Diagonals)
    .As(BandInputs)
    .As(Aligned)
    .Gradient(BandGradient)
    .Cost(CopyCost())
    .Doc("MatrixDiagV2 where `align` says at which end of its row a shorter diagonal stands.");

// The elements of the matrices on the diagonals get dy, the others nothing.
void DiagPartGradient(GradientBuilder& g, Output k) {
  g.dx(0) = g.Op("MatrixSetDiagV3", Align(g), g.Op("ZerosLike", g.x(0)), g.dy(0), k);
}

void BandPartGradient(GradientBuilder& g) {
  DiagPartGradient(g, g.x(1));
  PaddingGradient(g);
}

OP("MatrixDiagPart")
    .As(DiagonalParts)
    .Gradient([](GradientBuilder& g) { DiagPartGradient(g, MainDiagonal(g)); })
    .Cost(PartCost())
    .Rows(RowsOfRank(3))
    .Doc("The main diagonals of matrices.");
OP("MatrixDiagPartV2")
    .As(DiagonalParts)
    .Input("k: int32")
    .Input("padding_value: T")
    .Gradient(BandPartGradient)
    .Cost(PartCost())
    .Doc("The diagonals k[0] to k[1] of matrices, the shorter ones padded.");
OP("MatrixDiagPartV3")
    .As(DiagonalParts)
    .Input("k: int32")
    .Input("padding_value: T")
    .As(Aligned)
    .Gradient(BandPartGradient)
    .Cost(PartCost())
    .Doc("MatrixDiagPartV2 where `align` says at which end of its row a shorter diagonal stands.");

void SetDiagGradient(GradientBuilder& g, Output k) {
  g.dx(0) = g.Op("MatrixSetDiagV3", Align(g), g.dy(0), g.Op("ZerosLike", g.x(1)), k);
  g.dx(1) = DiagonalOf(g, g.dy(0), k);
}

OP("MatrixSetDiag")
    .As(SetDiagonals)
    .Gradient([](GradientBuilder& g) { SetDiagGradient(g, MainDiagonal(g)); })
    .Cost(CopyCost())
    .Doc("The matrices with their main diagonals replaced.");
OP("MatrixSetDiagV2")
    .As(SetDiagonals)
    .Input("k: int32")
    .Gradient([](GradientBuilder& g) { SetDiagGradient(g, g.x(2)); })
    .Cost(CopyCost())
    .Doc("The matrices with their diagonals k[0] to k[1] replaced.");
OP("MatrixSetDiagV3")
    .As(SetDiagonals)
    .Input("k: int32")
    .As(Aligned)
    .Gradient([](GradientBuilder& g) { SetDiagGradient(g, g.x(2)); })
    .Cost(CopyCost())
    .Doc("MatrixSetDiagV2 where `align` says at which end of its row a shorter diagonal stands.");

OP("MatrixBandPart")
    .Input("input: T")
    .Input("num_lower: Tindex")
    .Input("num_upper: Tindex")
    .Output("band: T")
    .Attr("T: type")
    .Attr("Tindex: {int32, int64} = DT_INT64")
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(PartialShape x, c.WithRankAtLeast(0, 2));
      DF_TRY(c.WithRank(1, 0).status());
      DF_TRY(c.WithRank(2, 0).status());
      c.set_output(0, std::move(x));
      return Status();
    })
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("MatrixBandPart", g.dy(0), g.x(1), g.x(2)); })
    .Cost(CopyCost())
    .Rows(RowsOfRank(3))
    .Doc("The matrices with zeros outside of num_lower diagonals below and num_upper above the main one; -1: all.");

}  // namespace
}  // namespace dfrun
