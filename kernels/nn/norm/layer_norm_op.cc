// Layer normalisation and its gradients.
// Source: Ba, Kiros, Hinton: Layer normalization, 2016.
#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

// The axes from `axis` on: of any rank.
Output AxesFrom(NodeBuilder& b, Output x, int64_t axis) {
  const auto scalar = [&](int64_t v) { return b.Const(Tensor::Scalar<int32_t>(static_cast<int32_t>(v))); };
  if (axis < 0) return b.Op("Range", scalar(axis), scalar(0), scalar(1));
  return b.Op("Range", scalar(axis), b.Op("Rank", x), scalar(1));
}

// (x - mean) / sqrt(variance + epsilon) * scale + offset.
LoweredNode LowerLayerNorm(NodeBuilder& b) {
  const Output x = b.x(0);
  const AttrMap keeps = {{"keep_dims", true}};
  const Output axes = AxesFrom(b, x, b.attr<int64_t>("axis"));
  const Output mean = b.Op("Mean", keeps, x, axes);
  const Output variance = b.Op("Mean", keeps, b.Op("SquaredDifference", x, mean), axes);
  const Output epsilon = b.ScalarLike(x, static_cast<double>(b.attr<float>("epsilon")));
  const Output factor = b.Op("Rsqrt", b.Op("AddV2", variance, epsilon));
  const Output normal = b.Op("Mul", b.Op("Sub", x, mean), factor);
  return {"AddV2", {b.Op("Mul", normal, b.x(1)), b.x(2)}};
}

void NormAttrs(OpBuilder& op) {
  op.Attr("epsilon: float = 0.001").Attr("axis: int = -1").Attr("T: {half, bfloat16, float, double}");
}

// The part of `shape` from the axis on; of unknown rank where that of `shape` is.
Result<PartialShape> NormalizedShape(const InferenceContext& c, const PartialShape& shape) {
  if (!shape.known_rank()) return PartialShape();
  DF_ASSIGN(int64_t axis, c.attr<int64_t>("axis"));
  DF_ASSIGN(axis, CanonicalAxis(axis, shape.rank()));
  return PartialShape(std::vector<int64_t>(shape.dims().begin() + axis, shape.dims().end()));
}

// Input i must fit the normalised part of x.
Result<PartialShape> CheckPart(const InferenceContext& c, const PartialShape& x, int i) {
  DF_ASSIGN(const PartialShape part, NormalizedShape(c, x));
  return part.Merge(c.input(i));
}

Status NormShape(InferenceContext& c) {
  for (int i : {1, 2}) DF_TRY(CheckPart(c, c.input(0), i).status());
  c.set_output(0, c.input(0));
  return Status();
}

Status NormGradShape(InferenceContext& c) {
  DF_ASSIGN(const PartialShape x, c.input(0).Merge(c.input(1)));
  DF_ASSIGN(const PartialShape part, CheckPart(c, x, 2));
  c.set_output(0, x);
  c.set_output(1, part);
  c.set_output(2, part);
  return Status();
}

AttrMap NormForm(GradientBuilder& g) {
  return {{"epsilon", g.attr<float>("epsilon")}, {"axis", g.attr<int64_t>("axis")}};
}

// The pieces of the gradient of LayerNormGrad. A row is normalised as a whole: `inner` are its axes, `outer` the
// others.
struct RowAlgebra {
  GradientBuilder& g;
  Output inner;
  Output outer;

  explicit RowAlgebra(GradientBuilder& builder, Output x) : g(builder) {
    const Output rank = g.Op("Rank", x);
    const auto int_const = [&](int32_t value) { return g.Const(Tensor::Scalar<int32_t>(value)); };
    const auto given = static_cast<int32_t>(g.attr<int64_t>("axis"));
    const Output axis = given >= 0 ? int_const(given) : Output(g.Op("AddV2", rank, int_const(given)));
    inner = g.Op("Range", axis, rank, int_const(1));
    outer = g.Op("Range", int_const(0), axis, int_const(1));
  }
  Output Mul(Output a, Output b) const { return g.Op("Mul", a, b); }
  Output Add(Output a, Output b) const { return g.Op("AddV2", a, b); }
  Output Sub(Output a, Output b) const { return g.Op("Sub", a, b); }
  Output Mean(Output a) const { return g.Op("Mean", {{"keep_dims", true}}, a, inner); }
  Output Sum(Output a) const { return g.Op("Sum", a, outer); }
  // a without the parts along ones and along `unit`, whose rows have mean 0 and mean square 1.
  Output Project(Output a, Output unit) const { return Sub(Sub(a, Mean(a)), Mul(unit, Mean(Mul(a, unit)))); }
};

// LayerNormGrad(dy, x, scale) gives, with g = dy scale and n = (x - mean) r, the results r Project(g, n),
// sum(dy n) and sum(dy). a, b and c are the gradients that reached them.
void OfNormGrad(GradientBuilder& g) {
  const Output dy = g.x(0);
  const Output x = g.x(1);
  const Output scale = g.x(2);
  const Output a = g.dy(0);
  const Output b = g.dy(1);
  const RowAlgebra row(g, x);
  const Output centred = row.Sub(x, row.Mean(x));
  const Output variance = row.Mean(row.Mul(centred, centred));
  const Output epsilon = g.ScalarLike(x, static_cast<double>(g.attr<float>("epsilon")));
  const Output r = g.Op("Rsqrt", row.Add(variance, epsilon));
  const Output n = row.Mul(centred, r);
  const Output weighted = row.Mul(dy, scale);
  const Output projected = row.Mul(r, row.Project(a, n));
  g.dx(0) = row.Add(row.Mul(scale, projected), row.Add(row.Mul(b, n), g.dy(2)));
  g.dx(2) = row.Sum(row.Mul(dy, projected));
  // The gradient by n comes from the product of the two means in Project, and from sum(dy n).
  const Output mean_a = row.Mean(row.Mul(a, n));
  const Output mean_g = row.Mean(row.Mul(weighted, n));
  const Output products = row.Add(row.Mul(weighted, mean_a), row.Mul(a, mean_g));
  const Output by_n = row.Sub(row.Mul(b, dy), row.Mul(r, products));
  // The gradient by r comes from its use before Project.
  const Output a_g = row.Mean(row.Mul(a, row.Project(weighted, n)));
  const Output through_r = row.Mul(row.Mul(r, r), row.Mul(n, a_g));
  g.dx(1) = row.Sub(row.Mul(r, row.Project(by_n, n)), through_r);
}

}  // namespace

OP("LayerNorm")
    .Input("x: T")
    .Input("scale: T")
    .Input("offset: T")
    .Output("y: T")
    .As(NormAttrs)
    .Shape(NormShape)
    .Gradient([](GradientBuilder& g) {
      const AddedNode grads = g.Op("LayerNormGrad", NormForm(g), g.dy(0), g.x(0), g.x(1));
      for (int i = 0; i < 3; ++i) g.dx(i) = grads[i];
    })
    .OwnLoweredBy(&LowerLayerNorm)
    .Cost(ElementwiseCost(8))
    .Rows(RowsUnlessAxisOfAttr("axis", /*of_output=*/false, {0}))
    .Doc(
        "x with mean 0 and variance 1 over its dimensions from `axis` on, times scale plus offset, which have the "
        "sizes "
        "of those dimensions. `epsilon` is added to the variance.");

OP("LayerNormGrad")
    .Input("gradients: T")
    .Input("x: T")
    .Input("scale: T")
    .Output("x_grad: T")
    .Output("scale_grad: T")
    .Output("offset_grad: T")
    .As(NormAttrs)
    .Shape(NormGradShape)
    .Gradient(OfNormGrad)
    .Own()
    .Cost(ScanCost(1, 17))
    .Doc("The gradient of LayerNorm by x, scale and offset.");

}  // namespace dfrun
