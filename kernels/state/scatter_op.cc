// Parts of a variable, by number: written, combined with updates, and read.
#include <algorithm>

#include "kernels/state/state_ops.h"

namespace dfrun {
namespace {

PartialShape VariableShapeOf(const InferenceContext& c) {
  return c.input_dtype(0) == DType::kResource ? c.handle_shape(0) : c.input(0);
}

// updates: the shape of indices and then that of a row; or a scalar.
Status ScatterShape(InferenceContext& c) {
  const PartialShape variable = VariableShapeOf(c);
  if (variable.rank() == 0) return InvalidArgument("the variable is a scalar: it has no rows");
  if (c.num_outputs() > 0) c.set_output(0, variable);
  const PartialShape& indices = c.input(1);
  const PartialShape& updates = c.input(2);
  if (!variable.known_rank() || !indices.known_rank() || updates.rank() == 0) return Status();
  PartialShape wanted = indices;
  for (int i = 1; i < variable.rank(); ++i) wanted.Append(variable.dim(i));
  return wanted.Merge(updates).status();
}

// Has no elements, whatever its unknown sizes are.
bool IsEmpty(const PartialShape& shape) {
  return shape.known_rank() && std::count(shape.dims().begin(), shape.dims().end(), 0) > 0;
}

// The first `count` dimensions of both must fit each other, as far as both have as many.
Status CheckPrefix(const PartialShape& indices, const PartialShape& updates, int count) {
  if (!updates.known_rank()) return Status();
  if (updates.rank() < count) {
    return InvalidArgument("updates of shape ", updates, " for indices of shape ", indices);
  }
  const auto prefix = [count](const PartialShape& s) {
    return PartialShape(std::vector<int64_t>(s.dims().begin(), s.dims().begin() + count));
  };
  return prefix(indices).Merge(prefix(updates)).status();
}

// The shape of ScatterNd's kin. The last dimension of indices holds coordinates; updates have the rest of the indices'
// dimensions, then the dimensions of the variable that the coordinates leave.
Status ScatterNdShape(InferenceContext& c) {
  const PartialShape variable = VariableShapeOf(c);
  if (c.num_outputs() > 0) c.set_output(0, variable);
  DF_ASSIGN(const PartialShape indices, c.WithRankAtLeast(1, 1));
  DF_ASSIGN(const PartialShape updates, c.WithRankAtLeast(2, 1));
  if (IsEmpty(variable) && (indices.num_elements() > 0 || updates.num_elements() > 0)) {
    return InvalidArgument("indices of shape ", indices, " and updates of shape ", updates,
                           " for a variable without elements, of shape ", variable);
  }
  if (!indices.known_rank()) return Status();
  DF_TRY(CheckPrefix(indices, updates, indices.rank() - 1));
  const int64_t depth = indices.dim(indices.rank() - 1);
  if (!variable.known_rank() || depth < 0) return Status();
  if (depth > variable.rank()) {
    return InvalidArgument("indices of ", depth, " coordinates for a variable of shape ", variable);
  }
  PartialShape wanted(std::vector<int64_t>(indices.dims().begin(), indices.dims().end() - 1));
  for (int d = static_cast<int>(depth); d < variable.rank(); ++d) wanted.Append(variable.dim(d));
  return wanted.Merge(updates).status();
}

// Shapes of ResourceGather and ResourceGatherNd: the indices' shape (from batch_dims on, without the coordinates), then
// the remaining dimensions of the variable.
Status GatherShape(InferenceContext& c) {
  DF_ASSIGN(const int64_t batch_dims, c.attr<int64_t>("batch_dims"));
  const PartialShape variable = c.handle_shape(0);
  const PartialShape& indices = c.input(1);
  if (!variable.known_rank() || !indices.known_rank()) return Status();
  if (batch_dims < 0 || batch_dims > indices.rank() || batch_dims >= variable.rank()) {
    return InvalidArgument("batch_dims ", batch_dims, " does not fit a variable of shape ", variable,
                           " and indices of shape ", indices);
  }
  PartialShape output = indices;
  for (int d = 0; d < batch_dims; ++d) {
    DF_ASSIGN(const PartialShape size, PartialShape({indices.dim(d)}).Merge(PartialShape({variable.dim(d)})));
    output.set_dim(d, size.dim(0));
  }
  for (int d = static_cast<int>(batch_dims) + 1; d < variable.rank(); ++d) output.Append(variable.dim(d));
  c.set_output(0, std::move(output));
  return Status();
}

Status GatherNdShape(InferenceContext& c) {
  const PartialShape variable = c.handle_shape(0);
  if (variable.rank() == 0) return InvalidArgument("the variable is a scalar: it has no slices");
  DF_ASSIGN(const PartialShape indices, c.WithRankAtLeast(1, 1));
  if (!variable.known_rank() || !indices.known_rank()) return Status();
  const int64_t depth = indices.dim(indices.rank() - 1);
  if (depth < 0) return Status();
  if (depth > variable.rank()) {
    return InvalidArgument("indices of ", depth, " coordinates for a variable of shape ", variable);
  }
  PartialShape output(std::vector<int64_t>(indices.dims().begin(), indices.dims().end() - 1));
  for (int d = static_cast<int>(depth); d < variable.rank(); ++d) output.Append(variable.dim(d));
  c.set_output(0, std::move(output));
  return Status();
}

// The product of the sizes in shape[begin, begin + size).
Output ProductOfSizes(GradientBuilder& g, Output shape, int64_t begin, int64_t size) {
  const Output part = g.Op("Slice", shape, g.Const({begin}), g.Const({size}));
  return g.Op("Prod", part, g.Const(Tensor::Scalar<int32_t>(0)));
}

// The gradient with batch_dims is dense: the variable is taken as rows behind each other, batch after batch.
void BatchedGatherGradient(GradientBuilder& g, int64_t batch_dims) {
  const AttrMap wide = {{"out_type", DType::kInt64}};
  const Output shape = g.Op("VariableShape", wide, g.x(0));
  const Output indices_shape = g.Op("Shape", wide, g.x(1));
  const Output zero = g.Const(Tensor::Scalar<int32_t>(0));
  const auto vector = [&](Output size) { return g.Op("ExpandDims", size, zero); };
  const Output batches = ProductOfSizes(g, shape, 0, batch_dims);
  const Output rows = ProductOfSizes(g, shape, batch_dims, 1);
  const Output in_batch = ProductOfSizes(g, indices_shape, batch_dims, -1);
  const Output one = g.Const(Tensor::Scalar<int64_t>(1));
  const Output first = g.Op("Range", g.Const(Tensor::Scalar<int64_t>(0)), batches, one);
  const Output offsets = g.Op("ExpandDims", g.Op("Mul", first, rows), g.Const(Tensor::Scalar<int32_t>(1)));
  const Output indices = g.Op("Reshape", g.Op("Cast", AttrMap{{"DstT", DType::kInt64}}, g.x(1)),
                              g.Op("ConcatV2", vector(batches), vector(in_batch), zero));
  const Output count = vector(g.Op("Mul", batches, in_batch));
  const Output ids = g.Op("Reshape", g.Op("AddV2", indices, offsets), count);
  const Output row_shape = g.Op("Slice", shape, g.Const({batch_dims + 1}), g.Const({int64_t{-1}}));
  const Output values = g.Op("Reshape", g.dy(0), g.Op("ConcatV2", count, row_shape, zero));
  const Output sums = g.Op("UnsortedSegmentSum", values, ids, g.Op("Mul", batches, rows));
  g.dx(0) = g.Op("Reshape", sums, shape);
}

// The gradient is sparse: rows of dy at the indices.
void ResourceGatherGradient(GradientBuilder& g) {
  const auto batch_dims = g.attr<int64_t>("batch_dims");
  if (batch_dims != 0) return BatchedGatherGradient(g, batch_dims);
  const Output minus_one = g.Const({int32_t{-1}});
  const Output indices = g.Op("Reshape", g.x(1), minus_one);
  const Output count = g.Op("Shape", indices);
  const Output variable_shape = g.Op("VariableShape", {{"out_type", DType::kInt32}}, g.x(0));
  const Output row_shape = g.Op("Slice", variable_shape, g.Const({int32_t{1}}), minus_one);
  const Output zero = g.Const(Tensor::Scalar<int32_t>(0));
  const Output shape = g.Op("ConcatV2", count, row_shape, zero);
  g.SetSparseGradient(0, indices, g.Op("Reshape", g.dy(0), shape));
}

void ScatterOnRefs(OpBuilder& op) {
  op.Input("ref: Ref(T)").Input("indices: Tindices").Input("updates: T").Output("output_ref: Ref(T)");
  op.Attr("Tindices: {int32, int64}").GradientEnds(GradientFlow::kState).Shape(&ScatterShape);
}

void ScatterOnHandles(OpBuilder& op) {
  op.Input("resource: resource").Input("indices: Tindices").Input("updates: dtype");
  op.Attr("Tindices: {int32, int64}").Stateful().GradientEnds(GradientFlow::kState).Shape(&ScatterShape);
}

void ScatterNdOnRefs(OpBuilder& op) {
  op.Input("ref: Ref(T)").Input("indices: Tindices").Input("updates: T").Output("output_ref: Ref(T)");
  op.Attr("Tindices: {int32, int64}").Attr("bad_indices_policy: string = ''");
  op.GradientEnds(GradientFlow::kState).Shape(&ScatterNdShape);
}

void ScatterNdOnHandles(OpBuilder& op) {
  op.Input("ref: resource").Input("indices: Tindices").Input("updates: T").Attr("T: type");
  op.Attr("Tindices: {int32, int64}").Attr("use_locking: bool = true").Attr("bad_indices_policy: string = ''");
  op.Stateful().GradientEnds(GradientFlow::kState).Shape(&ScatterNdShape);
}

constexpr const char* kOrderedT = "T: {half, bfloat16, float, double, int32, int64}";
constexpr const char* kLocking = "use_locking: bool = true";
constexpr const char* kNoLocking = "use_locking: bool = false";

OP("ScatterUpdate")
    .As(ScatterOnRefs)
    .Attr("T: type")
    .Attr(kLocking)
    .Cost(RowUpdateCost(0))
    .Doc("ref[indices] = updates: row by row, the last of a row that comes twice.");
OP("ScatterAdd")
    .As(ScatterOnRefs)
    .Attr(kNumericT)
    .Attr(kNoLocking)
    .Cost(RowUpdateCost(1))
    .Doc("ref[indices] += updates, row by row; a row that comes twice gets both.");
OP("ScatterSub")
    .As(ScatterOnRefs)
    .Attr(kNumericT)
    .Attr(kNoLocking)
    .Cost(RowUpdateCost(1))
    .Doc("ref[indices] -= updates, row by row; a row that comes twice loses both.");
OP("ScatterMul")
    .As(ScatterOnRefs)
    .Attr(kNumericT)
    .Attr(kNoLocking)
    .Cost(RowUpdateCost(1))
    .Doc("ref[indices] *= updates, row by row.");
OP("ScatterDiv")
    .As(ScatterOnRefs)
    .Attr(kNumericT)
    .Attr(kNoLocking)
    .Cost(RowUpdateCost(1))
    .Doc("ref[indices] /= updates, row by row.");
OP("ScatterMin")
    .As(ScatterOnRefs)
    .Attr(kOrderedT)
    .Attr(kNoLocking)
    .Cost(RowUpdateCost(1))
    .Doc("ref[indices] = min(ref[indices], updates), row by row.");
OP("ScatterMax")
    .As(ScatterOnRefs)
    .Attr(kOrderedT)
    .Attr(kNoLocking)
    .Cost(RowUpdateCost(1))
    .Doc("ref[indices] = max(ref[indices], updates), row by row.");

OP("ResourceScatterUpdate")
    .As(ScatterOnHandles)
    .Attr("dtype: type")
    .Cost(RowUpdateCost(0))
    .Doc("ScatterUpdate of the handle's variable.");
OP("ResourceScatterAdd")
    .As(ScatterOnHandles)
    .Attr(kNumericDtype)
    .Cost(RowUpdateCost(1))
    .Doc("ScatterAdd of the handle's variable.");
OP("ResourceScatterSub")
    .As(ScatterOnHandles)
    .Attr(kNumericDtype)
    .Cost(RowUpdateCost(1))
    .Doc("ScatterSub of the handle's variable.");
OP("ResourceScatterMul")
    .As(ScatterOnHandles)
    .Attr(kNumericDtype)
    .Cost(RowUpdateCost(1))
    .Doc("ScatterMul of the handle's variable.");
OP("ResourceScatterDiv")
    .As(ScatterOnHandles)
    .Attr(kNumericDtype)
    .Cost(RowUpdateCost(1))
    .Doc("ScatterDiv of the handle's variable.");
OP("ResourceScatterMin")
    .As(ScatterOnHandles)
    .Attr(kNumericDtype)
    .Cost(RowUpdateCost(1))
    .Doc("ScatterMin of the handle's variable.");
OP("ResourceScatterMax")
    .As(ScatterOnHandles)
    .Attr(kNumericDtype)
    .Cost(RowUpdateCost(1))
    .Doc("ScatterMax of the handle's variable.");

OP("ScatterNdUpdate")
    .As(ScatterNdOnRefs)
    .Attr("T: type")
    .Attr(kLocking)
    .Cost(RowUpdateCost(0))
    .Doc(
        "Writes the slices of updates to the coordinates of the variable, the last one to coordinates that come "
        "twice.");
OP("ScatterNdAdd")
    .As(ScatterNdOnRefs)
    .Attr(kNumericT)
    .Attr(kNoLocking)
    .Cost(RowUpdateCost(1))
    .Doc("Adds the slices of updates at the coordinates of the variable.");
OP("ScatterNdSub")
    .As(ScatterNdOnRefs)
    .Attr(kNumericT)
    .Attr(kNoLocking)
    .Cost(RowUpdateCost(1))
    .Doc("Subtracts the slices of updates at the coordinates of the variable.");
OP("ScatterNdMin")
    .As(ScatterNdOnRefs)
    .Attr(kNumericT)
    .Attr(kNoLocking)
    .Cost(RowUpdateCost(1))
    .Doc("The smaller of the variable and the slices of updates at the coordinates.");
OP("ScatterNdMax")
    .As(ScatterNdOnRefs)
    .Attr(kNumericT)
    .Attr(kNoLocking)
    .Cost(RowUpdateCost(1))
    .Doc("The larger of the variable and the slices of updates at the coordinates.");

OP("ResourceScatterNdUpdate")
    .As(ScatterNdOnHandles)
    .Cost(RowUpdateCost(0))
    .Doc("ScatterNdUpdate of the handle's variable.");
OP("ResourceScatterNdAdd").As(ScatterNdOnHandles).Cost(RowUpdateCost(1)).Doc("ScatterNdAdd of the handle's variable.");
OP("ResourceScatterNdSub").As(ScatterNdOnHandles).Cost(RowUpdateCost(1)).Doc("ScatterNdSub of the handle's variable.");
OP("ResourceScatterNdMin").As(ScatterNdOnHandles).Cost(RowUpdateCost(1)).Doc("ScatterNdMin of the handle's variable.");
OP("ResourceScatterNdMax").As(ScatterNdOnHandles).Cost(RowUpdateCost(1)).Doc("ScatterNdMax of the handle's variable.");

}  // namespace

OP("ResourceGather")
    .Input("resource: resource")
    .Input("indices: Tindices")
    .Output("output: dtype")
    .Attr("batch_dims: int = 0")
    .Attr("validate_indices: bool = true")
    .Attr("dtype: type")
    .Attr("Tindices: {int32, int64}")
    .Stateful()
    .Shape(&GatherShape)
    .Gradient(&ResourceGatherGradient)
    .OnlyReadsVariables()
    .Cost(PartCost())
    .Doc("Rows of the handle's variable: output[i...] = variable[indices[i...]].");

OP("ResourceGatherNd")
    .Input("resource: resource")
    .Input("indices: Tindices")
    .Output("output: dtype")
    .Attr("dtype: type")
    .Attr("Tindices: {int32, int64}")
    .Stateful()
    .Shape(&GatherNdShape)
    .Gradient([](GradientBuilder& g) {
      const Output shape = g.Op("VariableShape", AttrMap{{"out_type", g.dtype(g.x(1))}}, g.x(0));
      g.dx(0) = g.Op("ScatterNd", g.x(1), g.dy(0), shape);
    })
    .OnlyReadsVariables()
    .Cost(PartCost())
    .Doc("The slices of the handle's variable at coordinates, which are the last dimension of the indices.");

}  // namespace dfrun
