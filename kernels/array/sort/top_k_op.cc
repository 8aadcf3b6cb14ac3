// The largest entries of rows.
#include <cmath>

#include "kernels/array/int_values.h"
#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

// A heap of the k largest of each row.
OpCost TopCost(const CostContext& c) {
  const double k = c.output(0).rank() == 0 ? 1 : c.output_dim(0, -1);
  return WholeCost(c, c.input_elements(0) * (k > 2 ? std::log2(k) : k * 0 + 1));
}

// values and indices are x with a last dimension of k, where k is known.
Status TopKShape(InferenceContext& c, std::optional<int64_t> k) {
  DF_ASSIGN(const PartialShape x, c.WithRankAtLeast(0, 1));
  if (k && *k < 0) return InvalidArgument("k is ", *k, ", but must not be negative");
  if (!x.known_rank()) return Status();
  const int64_t columns = x.dim(x.rank() - 1);
  if (k && columns >= 0 && columns < *k) return InvalidArgument("rows of ", x, " have less than ", *k, " entries");
  PartialShape y = x;
  y.set_dim(x.rank() - 1, k.value_or(PartialShape::kUnknown));
  c.set_output(0, y);
  c.set_output(1, std::move(y));
  return Status();
}

// The gradient of the values is added to the entries that the indices name, row by row.
void TopKGradient(GradientBuilder& g) {
  const AttrMap to_int64 = {{"DstT", DType::kInt64}};
  const AttrMap int64_type = {{"out_type", DType::kInt64}};
  const auto int64 = [&](int64_t value) { return g.Const(Tensor::Scalar<int64_t>(value)); };
  const Output shape = g.Op("Shape", int64_type, g.x(0));
  const Output before_last = g.Op("Sub", g.Op("Size", shape), g.Const(Tensor::Scalar<int32_t>(1)));
  const Output columns = g.Op("Gather", shape, before_last);
  const Output k = g.Op("Gather", g.Op("Shape", int64_type, g.y(1)), before_last);
  // The number of rows, from the other sizes: an element count of 0, in a row or among its k largest, would not
  // determine it.
  const Output leading =
      g.Op("Slice", shape, g.Const<int32_t>({0}), g.Op("Reshape", before_last, g.Const<int32_t>({1})));
  const Output count = g.Op("Prod", leading, g.Const<int32_t>({0}));
  const Output rows = g.Op("Cast", to_int64, g.Op("Reshape", g.y(1), g.AddNode("Pack", {count, k}, {})));
  const Output first = g.Op("Mul", g.Op("Range", int64(0), count, int64(1)), columns);
  const Output positions = g.Op("AddV2", rows, g.Op("ExpandDims", first, g.Const(Tensor::Scalar<int32_t>(-1))));
  const Output all = g.Op("Reshape", g.Op("Size", int64_type, g.x(0)), g.Const<int32_t>({1}));
  const Output scattered = g.Op("ScatterNd", g.Op("Reshape", positions, g.Const<int32_t>({-1, 1})),
                                g.Op("Reshape", g.dy(0), g.Const<int32_t>({-1})), all);
  g.dx(0) = g.Op("Reshape", scattered, shape);
}

void RowsOfNumbers(OpBuilder& op) {
  op.Attr("sorted: bool = true")
      .Attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}");
}

OP("TopK")
    .Input("input: T")
    .Output("values: T")
    .Output("indices: int32")
    .Attr("k: int >= 0")
    .As(RowsOfNumbers)
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(const int64_t k, c.attr<int64_t>("k"));
      return TopKShape(c, k);
    })
    .Gradient(TopKGradient)
    .Cost(&TopCost)
    .Rows(RowsOfRank(2))
    .Doc("The k largest entries of each row and their indices; of equal ones the first.");

OP("TopKV2")
    .Input("input: T")
    .Input("k: Tk")
    .Output("values: T")
    .Output("indices: index_type")
    .As(RowsOfNumbers)
    .Attr("Tk: {int16, int32, int64} = DT_INT32")
    .Attr("index_type: {int16, int32, int64} = DT_INT32")
    .Shape([](InferenceContext& c) -> Status {
      DF_TRY(c.WithRank(1, 0).status());
      DF_ASSIGN(const auto k, KnownIntScalar(c, 1, "k"));
      return TopKShape(c, k);
    })
    .Gradient(TopKGradient)
    .Cost(&TopCost)
    .Rows(RowsOfRank(2))
    .Doc("The k largest entries of each row and their indices; of equal ones the first.");

Status InTopKShape(InferenceContext& c) {
  DF_ASSIGN(const PartialShape predictions, c.WithRank(0, 2));
  DF_ASSIGN(const PartialShape targets, c.WithRank(1, 1));
  DF_ASSIGN(PartialShape y, targets.Merge(PartialShape({predictions.dim(0)})));
  c.set_output(0, std::move(y));
  return Status();
}

OP("InTopK")
    .Input("predictions: float")
    .Input("targets: T")
    .Output("precision: bool")
    .Attr("k: int")
    .Attr("T: {int32, int64} = DT_INT32")
    .Shape(InTopKShape)
    .NotDifferentiable()
    .Cost(ScanCost())
    .Rows(RowsOfInputs({0, 1}))
    .Doc("Whether less than k predictions of a row are larger than that of the row's target.");

OP("InTopKV2")
    .Input("predictions: float")
    .Input("targets: T")
    .Input("k: T")
    .Output("precision: bool")
    .Attr("T: {int32, int64} = DT_INT32")
    .Shape([](InferenceContext& c) -> Status {
      DF_TRY(c.WithRank(2, 0).status());
      return InTopKShape(c);
    })
    .NotDifferentiable()
    .Cost(ScanCost())
    .Rows(RowsOfInputs({0, 1}))
    .Doc("Whether less than k predictions of a row are larger than that of the row's target.");

}  // namespace
}  // namespace dfrun
