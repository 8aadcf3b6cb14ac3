// Attention by scaled products, and its gradient.
// Source: Vaswani et al.: Attention is all you need, 2017; Dao et al.: FlashAttention, 2022.
#include <limits>

#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

void AttentionAttrsOf(OpBuilder& op) {
  op.Attr("scale: float = 0.0")
      .Attr("causal: bool = false")
      .Attr("T: {half, bfloat16, float, double}")
      .Attr("U: {float, double} = DT_FLOAT");
}

// [batch, heads, queries, value depth] of query, key and value from input `first` on.
Result<PartialShape> OutputShape(const InferenceContext& c, int first) {
  DF_ASSIGN(const PartialShape q, c.WithRank(first, 4));
  DF_ASSIGN(const PartialShape k, c.WithRank(first + 1, 4));
  DF_ASSIGN(const PartialShape v, c.WithRank(first + 2, 4));
  DF_ASSIGN(const PartialShape pairs, PartialShape({q.dim(0), q.dim(1), -1, q.dim(3)}).Merge(k));
  DF_ASSIGN(const PartialShape keys, PartialShape({pairs.dim(0), pairs.dim(1), k.dim(2), -1}).Merge(v));
  return PartialShape({keys.dim(0), keys.dim(1), q.dim(2), v.dim(3)});
}

Status AttentionShapes(InferenceContext& c) {
  DF_ASSIGN(PartialShape output, OutputShape(c, 0));
  c.set_output(1, PartialShape({output.dim(0), output.dim(1), output.dim(2)}));
  c.set_output(0, std::move(output));
  return Status();
}

Status AttentionGradShapes(InferenceContext& c) {
  DF_ASSIGN(const PartialShape output, OutputShape(c, 1));
  for (int i : {0, 4}) DF_TRY(output.Merge(c.input(i)).status());
  DF_TRY(PartialShape({output.dim(0), output.dim(1), output.dim(2)}).Merge(c.input(5)).status());
  for (int i = 0; i < 3; ++i) {
    DF_ASSIGN(PartialShape shape, c.WithRank(i + 1, 4));
    c.set_output(i, std::move(shape));
  }
  return Status();
}

Output SizeOf(NodeBuilder& b, Output x, int32_t dim) {
  const Output zero = b.Const(Tensor::Scalar<int32_t>(0));
  return b.Op("GatherV2", b.Op("Shape", x), b.Const(Tensor::Scalar<int32_t>(dim)), zero);
}

// The scores, of which those that a query does not see are -infinity.
Output Scores(NodeBuilder& b) {
  const Output q = b.x(0);
  const Output k = b.x(1);
  const auto given = static_cast<double>(b.attr<float>("scale"));
  const Output scale = given != 0 ? b.ScalarLike(q, given)
                                  : Output(b.Op("Rsqrt", b.Op("Cast", {{"DstT", b.dtype(q)}}, SizeOf(b, q, 3))));
  const Output scores = b.Op("Mul", b.Op("BatchMatMulV2", {{"adj_y", true}}, q, k), scale);
  if (!b.attr<bool>("causal")) return scores;
  const auto number = [&](int32_t value) { return b.Const(Tensor::Scalar<int32_t>(value)); };
  const Output query = b.Op("ExpandDims", b.Op("Range", number(0), SizeOf(b, q, 2), number(1)), number(1));
  const Output sees = b.Op("LessEqual", b.Op("Range", number(0), SizeOf(b, k, 2), number(1)), query);
  return b.Op("SelectV2", sees, scores, b.ScalarLike(q, -std::numeric_limits<double>::infinity()));
}

LoweredNode LowerAttention(NodeBuilder& b) {
  const Output scores = Scores(b);
  const Output last = b.Const<int32_t>({-1});
  const Output largest = b.Op("Max", {{"keep_dims", true}}, scores, last);
  const Output sums = b.Op("Sum", b.Op("Exp", b.Op("Sub", scores, largest)), last);
  const Output log_sums = b.Op("AddV2", b.Op("Log", sums), b.Op("Max", scores, last));
  const Output output = b.Op("BatchMatMulV2", b.Op("Softmax", scores), b.x(2));
  return {"IdentityN", {output, b.Op("Cast", {{"DstT", b.attr<DType>("U")}}, log_sums)}};
}

// The cost of the products with the keys and with the values, and of the operations on a score.
OpCost AttentionCost(const CostContext& c, int first, double products) {
  const double scores = c.input_elements(first) / std::max(1.0, c.input_dim(first, 3)) * c.input_dim(first + 1, 2);
  return WholeCost(c, scores * (products * 2 * c.input_dim(first, 3) + 5));
}

}  // namespace

OP("ScaledDotProductAttention")
    .Input("query: T")
    .Input("key: T")
    .Input("value: T")
    .Output("output: T")
    .Output("log_sums: U")
    .As(AttentionAttrsOf)
    .Shape(&AttentionShapes)
    .Gradient([](GradientBuilder& g) {
      const AttrMap attrs = {
          {"scale", g.attr<float>("scale")}, {"causal", g.attr<bool>("causal")}, {"U", g.attr<DType>("U")}};
      const AddedNode grads =
          g.Op("ScaledDotProductAttentionGrad", attrs, g.dy(0), g.x(0), g.x(1), g.x(2), g.y(0), g.y(1));
      for (int i = 0; i < 3; ++i) g.dx(i) = grads[i];
    })
    .GradientEnds(GradientFlow::kNone, {}, "log_sums")
    .OwnLoweredBy(&LowerAttention)
    .Cost([](const CostContext& c) { return AttentionCost(c, 0, 2); })
    .Rows(RowsOfInputs({0, 1, 2}))
    .Doc(
        "Softmax(query key^T scale) value, in tensors [batch, heads, time, depth]. `scale` 0 is one over the root of "
        "the depth; `causal`: a query sees the keys up to its own number. log_sums, of dtype U (float64 where T is, "
        "else float32), are the logarithms of the sums that softmax divides by, for the gradient: none flows through "
        "them.");

OP("ScaledDotProductAttentionGrad")
    .Input("gradients: T")
    .Input("query: T")
    .Input("key: T")
    .Input("value: T")
    .Input("output: T")
    .Input("log_sums: U")
    .Output("query_grad: T")
    .Output("key_grad: T")
    .Output("value_grad: T")
    .As(AttentionAttrsOf)
    .Shape(&AttentionGradShapes)
    .Own()
    .Cost([](const CostContext& c) { return AttentionCost(c, 1, 5); })
    .Doc("The gradient of ScaledDotProductAttention by query, key and value.");

}  // namespace dfrun
