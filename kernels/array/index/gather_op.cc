// Slices picked by index, and slices added up by index.
#include "kernels/array/int_values.h"
#include "kernels/array/weighed_sum.h"
#include "src/framework/op/op.h"
#include "src/framework/op/row_rules.h"

namespace dfrun {
namespace {

MaybeConstant GatherConstant(const ConstantContext& c) {
  const MaybeConstant params = c.vector(0);
  const MaybeConstant indices = c.input(1);
  if (!params || !indices) return std::nullopt;
  ConstantInts out{indices->is_scalar, {}};
  for (ConstantInts::Element index : indices->elements) {
    const bool known = index && *index >= 0 && *index < static_cast<int64_t>(params->elements.size());
    out.elements.push_back(known ? params->elements[static_cast<size_t>(*index)] : std::nullopt);
  }
  return out;
}

PartialShape Join(const PartialShape& a, int a_begin, int a_end, const PartialShape& b, int b_begin) {
  std::vector<int64_t> dims(a.dims().begin() + a_begin, a.dims().begin() + a_end);
  dims.insert(dims.end(), b.dims().begin() + b_begin, b.dims().end());
  return PartialShape(std::move(dims));
}

// The gradient of rows picked from input 0 by input 1: rows of dy, sparse.
void RowsGradient(GradientBuilder& g) {
  const Output indices = g.Op("Reshape", g.x(1), g.Const<int32_t>({-1}));
  const PartialShape params = g.shape(g.x(0));
  Output values;
  if (params.known_rank() && params.rank() == 1) {
    values = g.Op("Reshape", g.dy(0), g.Const<int32_t>({-1}));
  } else {
    const Output one = g.Const<int32_t>({1});
    const Output row = g.Op("Slice", g.Op("Shape", g.x(0)), one, g.Const<int32_t>({-1}));
    const Output zero = g.Const(Tensor::Scalar<int32_t>(0));
    const Output shape = g.Op("ConcatV2", AttrMap{{"N", 2}}, g.Op("Shape", indices), row, zero);
    values = g.Op("Reshape", g.dy(0), shape);
  }
  g.SetSparseGradient(0, indices, values);
}

// True where the shapes show that the axis is the first: the one whose gradient is sparse. A gradient function does not
// see the value of the axis, but if that is known, the shape of y is the shape function's result for it.
bool GathersRows(const GradientBuilder& g) {
  const PartialShape params = g.shape(g.x(0));
  const PartialShape indices = g.shape(g.x(1));
  const PartialShape y = g.shape(g.y(0));
  if (!params.known_rank() || !indices.known_rank() || !y.known_rank()) return false;
  const bool axis_is_known = y != PartialShape::UnknownOfRank(y.rank());
  if (!axis_is_known && params.rank() != 1) return false;
  for (int axis = 1; axis < params.rank(); ++axis) {
    PartialShape other = Join(params, 0, axis, indices, 0);
    for (int d = axis + 1; d < params.rank(); ++d) other.Append(params.dim(d));
    if (other == y) return false;
  }
  return true;
}

// The product of `count` sizes of a shape from `begin` on; all as vectors of one int64.
Output Product(GradientBuilder& g, Output shape, Output begin, Output count) {
  return g.Op("Prod", AttrMap{{"keep_dims", true}}, g.Op("Slice", shape, begin, count),
              g.Const(Tensor::Scalar<int32_t>(0)));
}

// The gradient of slices picked along any axis. With params as [batch, before, axis, after] and dy as [batch, before,
// indices, after], the slices of dy [batch, indices, before, after] are added up by batch and index, and put back.
void AxisGradient(GradientBuilder& g) {
  const AttrMap to_int64 = {{"DstT", DType::kInt64}};
  const auto one_int64 = [&](Output x) { return g.Op("Reshape", g.Op("Cast", to_int64, x), g.Const<int32_t>({1})); };
  const auto join = [&](std::vector<Output> parts) {
    const int64_t n = static_cast<int64_t>(parts.size());
    parts.push_back(g.Const(Tensor::Scalar<int32_t>(0)));
    return g.AddNode("ConcatV2", parts, {{"N", n}});
  };
  const Output zero = g.Const<int64_t>({0});
  const Output one = g.Const<int64_t>({1});
  const Output rest = g.Const<int64_t>({-1});
  const Output shape = g.Op("Shape", AttrMap{{"out_type", DType::kInt64}}, g.x(0));
  const Output indices_shape = g.Op("Shape", AttrMap{{"out_type", DType::kInt64}}, g.x(1));
  const Output axis = g.Op("FloorMod", one_int64(g.x(2)), one_int64(g.Op("Rank", g.x(0))));
  const int64_t given = g.attr<int64_t>("batch_dims");
  Output batch_dims = g.Const<int64_t>({given});
  if (given < 0) batch_dims = g.Op("AddV2", batch_dims, one_int64(g.Op("Rank", g.x(1))));

  const Output batch = Product(g, shape, zero, batch_dims);
  const Output before = Product(g, shape, batch_dims, g.Op("Sub", axis, batch_dims));
  const Output size = g.Op("Slice", shape, axis, one);
  const Output after = Product(g, shape, g.Op("AddV2", axis, one), rest);
  const Output indices = Product(g, indices_shape, batch_dims, rest);
  const Output swap = g.Const<int32_t>({0, 2, 1, 3});
  const Output slices = g.Op("Transpose", g.Op("Reshape", g.dy(0), join({batch, before, indices, after})), swap);
  const auto scalar = [&](Output x) { return g.Op("Reshape", x, g.Const(Tensor(DType::kInt32, Shape({0})))); };
  const Output batches = g.Op("Range", scalar(zero), scalar(batch), scalar(one));
  const Output offsets = g.Op("Mul", g.Op("Reshape", batches, join({batch, one})), size);
  const Output by_batch = g.Op("Reshape", g.Op("Cast", to_int64, g.x(1)), join({batch, indices}));
  const Output ids = g.Op("AddV2", by_batch, offsets);
  const Output sums = g.Op("UnsortedSegmentSum", slices, ids, scalar(g.Op("Mul", batch, size)));
  const Output back = g.Op("Transpose", g.Op("Reshape", sums, join({batch, size, before, after})), swap);
  g.dx(0) = g.Op("Reshape", back, shape);
}

OP("Gather")
    .Input("params: Tparams")
    .Input("indices: Tindices")
    .Output("output: Tparams")
    .Attr("validate_indices: bool = true")
    .Attr("Tparams: type")
    .Attr("Tindices: {int32, int64}")
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(const PartialShape params, c.WithRankAtLeast(0, 1));
      if (params.known_rank() && c.input(1).known_rank())
        c.set_output(0, Join(c.input(1), 0, c.input(1).rank(), params, 1));
      return Status();
    })
    .Gradient(RowsGradient)
    .GathersRows()
    .ConstantValue(&GatherConstant)
    .Cost(PartCost())
    .Rows(RowsOfInputs({1}))
    .Doc("The rows of params that the indices name.");

// Rows of a table by the samples' indices, or of each sample its own slices.
SampleRows GatherRows(const RowContext& c, int output) {
  const MaybeConstant axis = c.value(2);
  const Result<int64_t> batch_dims = c.attrs().Get<int64_t>("batch_dims");
  if (!axis || axis->elements.size() != 1 || !axis->elements[0] || !batch_dims.ok()) return SampleRows::Mixed();
  const int rank = c.input_shape(0).rank();
  const int64_t from_first = *axis->elements[0] < 0 ? *axis->elements[0] + rank : *axis->elements[0];
  if (rank < 0) return SampleRows::Mixed();
  if (*batch_dims > 0 && from_first > 0) return RowsOfInputs({0, 1})(c, output);
  if (*batch_dims != 0) return SampleRows::Mixed();
  return RowsOfInputs({from_first == 0 ? 1 : 0})(c, output);
}

OP("GatherV2")
    .Input("params: Tparams")
    .Input("indices: Tindices")
    .Input("axis: Taxis")
    .Output("output: Tparams")
    .Attr("batch_dims: int = 0")
    .Attr("Tparams: type")
    .Attr("Tindices: {int16, int32, int64}")
    .Attr("Taxis: {int32, int64}")
    .Shape([](InferenceContext& c) -> Status {
      const PartialShape& params = c.input(0);
      const PartialShape& indices = c.input(1);
      DF_TRY(c.WithRank(2, 0).status());
      DF_ASSIGN(const auto axis, KnownIntScalar(c, 2, "the axis"));
      DF_ASSIGN(const int64_t batch, c.attr<int64_t>("batch_dims"));
      if (!params.known_rank() || !indices.known_rank()) return Status();
      if (batch < -indices.rank() || batch > indices.rank())
        return InvalidArgument("batch_dims ", batch, " does not fit indices of shape ", indices);
      const int batch_dims = static_cast<int>(batch < 0 ? batch + indices.rank() : batch);
      if (!axis) {
        if (params.rank() > 0)
          c.set_output(0, PartialShape::UnknownOfRank(params.rank() + indices.rank() - 1 - batch_dims));
        return Status();
      }
      DF_ASSIGN(const int64_t at, CanonicalAxis(*axis, params.rank()));
      if (batch_dims > at) return InvalidArgument("batch_dims ", batch, " is beyond the axis ", at);
      PartialShape y = Join(params, 0, static_cast<int>(at), indices, batch_dims);
      for (int d = 0; d < batch_dims; ++d) {
        DF_ASSIGN(const PartialShape size, PartialShape({params.dim(d)}).Merge(PartialShape({indices.dim(d)})));
        y.set_dim(d, size.dim(0));
      }
      for (int d = static_cast<int>(at) + 1; d < params.rank(); ++d) y.Append(params.dim(d));
      c.set_output(0, std::move(y));
      return Status();
    })
    .Gradient([](GradientBuilder& g) {
      if (g.attr<int64_t>("batch_dims") == 0 && GathersRows(g)) return RowsGradient(g);
      AxisGradient(g);
    })
    .GathersRows()
    .ConstantValue(&GatherConstant)
    .Cost(PartCost())
    .Rows(&GatherRows)
    .Doc("The slices of params along an axis that the indices name.");

// The node's attr for indices that are out of range.
AttrMap IndexPolicy(GradientBuilder& g) {
  return {{"bad_indices_policy", g.attr<std::string>("bad_indices_policy")}};
}

OP("GatherNd")
    .Input("params: Tparams")
    .Input("indices: Tindices")
    .Output("output: Tparams")
    .Attr("Tparams: type")
    .Attr("Tindices: {int16, int32, int64}")
    .Attr("bad_indices_policy: string = ''")
    .Shape([](InferenceContext& c) -> Status {
      const PartialShape& params = c.input(0);
      DF_ASSIGN(const PartialShape indices, c.WithRankAtLeast(1, 1));
      if (!params.known_rank() || !indices.known_rank()) return Status();
      const int64_t depth = indices.dim(indices.rank() - 1);
      if (depth > params.rank())
        return InvalidArgument("indices of ", depth, " coordinates for params of shape ", params);
      if (depth >= 0) c.set_output(0, Join(indices, 0, indices.rank() - 1, params, static_cast<int>(depth)));
      return Status();
    })
    .Gradient([](GradientBuilder& g) {
      const Output shape = g.Op("Shape", AttrMap{{"out_type", g.dtype(g.x(1))}}, g.x(0));
      g.dx(0) = g.Op("ScatterNd", IndexPolicy(g), g.x(1), g.dy(0), shape);
    })
    .GathersRows()
    .Cost(PartCost())
    .Rows(RowsOfInputs({1}))
    .Doc("The slices of params at coordinates, which are the last dimension of the indices.");

// Checks that updates are one a row of indices, each of the shape that the coordinates leave of the output. It passes
// where the number of an index's coordinates is unknown.
Status CheckScattered(const PartialShape& output, const PartialShape& indices, const PartialShape& updates) {
  if (!output.known_rank() || !indices.known_rank()) return Status();
  const int64_t depth = indices.dim(indices.rank() - 1);
  if (depth < 0) return Status();
  if (depth > output.rank()) return InvalidArgument("indices of ", depth, " coordinates for the shape ", output);
  return Join(indices, 0, indices.rank() - 1, output, static_cast<int>(depth)).Merge(updates).status();
}

OP("ScatterNd")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Input("shape: Tindices")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tindices: {int16, int32, int64}")
    .Attr("bad_indices_policy: string = ''")
    .Shape([](InferenceContext& c) -> Status {
      DF_ASSIGN(const PartialShape indices, c.WithRankAtLeast(0, 1));
      DF_ASSIGN(const PartialShape updates, c.WithRankAtLeast(1, 1));
      DF_TRY(c.WithRank(2, 1).status());
      PartialShape output = c.input_as_shape(2);
      DF_TRY(CheckScattered(output, indices, updates));
      c.set_output(0, std::move(output));
      return Status();
    })
    .Gradient([](GradientBuilder& g) { g.dx(1) = g.Op("GatherNd", IndexPolicy(g), g.dy(0), g.x(0)); })
    .Cost(ScanCost(1))
    .Doc("Zeros of the given shape with the updates added at coordinates.");

// The sum of the gradients of the elements that are on, or off.
Output SumOfOneHot(GradientBuilder& g, double on, double off) {
  const AttrMap attrs = {{"axis", g.attr<int64_t>("axis")}};
  return WeighedSum(g, g.Op("OneHot", attrs, g.x(0), g.x(1), g.ScalarLike(g.x(2), on), g.ScalarLike(g.x(2), off)));
}

OP("OneHot")
    .Input("indices: TI")
    .Input("depth: int32")
    .Input("on_value: T")
    .Input("off_value: T")
    .Output("output: T")
    .Attr("axis: int = -1")
    .Attr("T: type")
    .Attr("TI: {uint8, int8, int32, int64} = DT_INT64")
    .Shape([](InferenceContext& c) -> Status {
      const PartialShape& indices = c.input(0);
      for (int i = 1; i < 4; ++i) DF_TRY(c.WithRank(i, 0).status());
      DF_ASSIGN(const auto depth, KnownIntScalar(c, 1, "the depth"));
      DF_ASSIGN(const int64_t axis, c.attr<int64_t>("axis"));
      if (depth && *depth < 0) return InvalidArgument("the depth of OneHot is ", *depth);
      if (!indices.known_rank()) return Status();
      if (axis < -1 || axis > indices.rank())
        return InvalidArgument("OneHot: the axis ", axis, " is neither -1 nor in [0, ", indices.rank(), "]");
      std::vector<int64_t> dims = indices.dims();
      dims.insert(axis < 0 ? dims.end() : dims.begin() + axis, depth.value_or(PartialShape::kUnknown));
      c.set_output(0, PartialShape(std::move(dims)));
      return Status();
    })
    .Gradient([](GradientBuilder& g) {
      g.dx(2) = SumOfOneHot(g, 1, 0);
      g.dx(3) = SumOfOneHot(g, 0, 1);
    })
    .Cost(CopyCost())
    .Rows(RowsUnlessAxisOfAttr("axis", /*of_output=*/true, {0}))
    .Doc("on_value where the position along a new dimension is the index, else off_value.");

}  // namespace
}  // namespace dfrun
