// Slices picked by index, and slices added up by index.
#include "kernels/array/int_values.h"
#include "src/framework/op.h"

namespace dfrun {
namespace {

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
// see the value of the axis, but where it is known the shape of y is what the shape function makes of it.
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
    .Doc("The rows of params that the indices name.");

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
      for (int d = static_cast<int>(at) + 1; d < params.rank(); ++d) y.Append(params.dim(d));
      c.set_output(0, std::move(y));
      return Status();
    })
    .Gradient([](GradientBuilder& g) {
      const int64_t batch_dims = g.attr<int64_t>("batch_dims");
      if (batch_dims != 0) return g.Fail(Unimplemented("the gradient of GatherV2 with batch_dims ", batch_dims));
      if (GathersRows(g)) return RowsGradient(g);
      // With the gathered axis in front the rows can be added up: [axis, before, after], then back.
      const Output rank = g.Op("Rank", g.x(0));
      const Output axis = g.Op("FloorMod", g.Op("Cast", AttrMap{{"DstT", DType::kInt32}}, g.x(2)), rank);
      const Output zero = g.Const(Tensor::Scalar<int32_t>(0));
      const Output one = g.Const(Tensor::Scalar<int32_t>(1));
      const Output first = g.Op("Reshape", axis, g.Const<int32_t>({1}));
      const Output shape = g.Op("Shape", g.x(0));
      const Output before = g.Op("Slice", shape, g.Const<int32_t>({0}), first);
      const Output after = g.Op("Slice", shape, g.Op("AddV2", first, one), g.Const<int32_t>({-1}));
      const Output flat = g.Op("Reshape", g.x(1), g.Const<int32_t>({-1}));
      const Output count = g.Op("Reshape", g.Op("Size", flat), g.Const<int32_t>({1}));
      const Output dy = g.Op("Reshape", g.dy(0), g.Op("ConcatV2", AttrMap{{"N", 3}}, before, count, after, zero));
      const Output to_front = g.Op("ConcatV2", AttrMap{{"N", 3}}, first, g.Op("Range", zero, axis, one),
                                   g.Op("Range", g.Op("AddV2", axis, one), rank, one), zero);
      const Output sums =
          g.Op("UnsortedSegmentSum", g.Op("Transpose", dy, to_front), flat, g.Op("Gather", shape, axis));
      g.dx(0) = g.Op("Transpose", sums, g.Op("InvertPermutation", to_front));
    })
    .Doc("The slices of params along an axis that the indices name.");

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
      g.dx(0) = g.Op("ScatterNd", g.x(1), g.dy(0), shape);
    })
    .Doc("The slices of params at coordinates, which are the last dimension of the indices.");

OP("ScatterNd")
    .Input("indices: Tindices")
    .Input("updates: T")
    .Input("shape: Tindices")
    .Output("output: T")
    .Attr("T: type")
    .Attr("Tindices: {int16, int32, int64}")
    .Attr("bad_indices_policy: string = ''")
    .Shape([](InferenceContext& c) {
      c.set_output(0, c.input_as_shape(2));
      return Status();
    })
    .Gradient([](GradientBuilder& g) { g.dx(1) = g.Op("GatherNd", g.dy(0), g.x(0)); })
    .Doc("Zeros of the given shape with the updates added at coordinates.");

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
    .NotDifferentiable()
    .Doc("on_value where the position along a new dimension is the index, else off_value.");

}  // namespace
}  // namespace dfrun
