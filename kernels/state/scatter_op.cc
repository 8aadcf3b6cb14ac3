// Rows of a variable, by number: written, added to, and read.
#include "kernels/state/state_ops.h"

namespace dfrun {
namespace {

// updates: the shape of indices and then that of a row; or a scalar.
Status ScatterShape(InferenceContext& c) {
  DF_ASSIGN(const PartialShape variable, c.WithRankAtLeast(0, 1));
  c.set_output(0, variable);
  const PartialShape& indices = c.input(1);
  const PartialShape& updates = c.input(2);
  if (!variable.known_rank() || !indices.known_rank() || updates.rank() == 0) return Status();
  PartialShape wanted = indices;
  for (int i = 1; i < variable.rank(); ++i) wanted.Append(variable.dim(i));
  return wanted.Merge(updates).status();
}

// The gradient is sparse: rows of dy at the indices.
void ResourceGatherGradient(GradientBuilder& g) {
  if (g.attr<int64_t>("batch_dims") != 0) {
    g.Fail(Unimplemented("the gradient of ResourceGather with batch_dims"));
    return;
  }
  const Output minus_one = g.Const({int32_t{-1}});
  const Output indices = g.Op("Reshape", g.x(1), minus_one);
  const Output count = g.Op("Shape", indices);
  const Output variable_shape = g.Op("VariableShape", {{"out_type", DType::kInt32}}, g.x(0));
  const Output row_shape = g.Op("Slice", variable_shape, g.Const({int32_t{1}}), minus_one);
  const Output zero = g.Const(Tensor::Scalar<int32_t>(0));
  const Output shape = g.Op("ConcatV2", count, row_shape, zero);
  g.SetSparseGradient(0, indices, g.Op("Reshape", g.dy(0), shape));
}

OpBuilder DefineScatter(const char* name, const char* type, const char* locking, const char* doc) {
  OpBuilder op(name);
  op.Input("ref: Ref(T)").Input("indices: Tindices").Input("updates: T").Output("output_ref: Ref(T)");
  op.Attr(type).Attr("Tindices: {int32, int64}").Attr(locking);
  return op.NotDifferentiable().Shape(&ScatterShape).Doc(doc);
}

OpBuilder DefineResourceScatter(const char* name, const char* doc) {
  OpBuilder op(name);
  op.Input("resource: resource").Input("indices: Tindices").Input("updates: dtype");
  op.Attr("dtype: type").Attr("Tindices: {int32, int64}").Stateful();
  return op.NotDifferentiable().Doc(doc);
}

constexpr const char* kUpdateDoc = "ref[indices] = updates: row by row, the last of a row that comes twice.";
constexpr const char* kAddDoc = "ref[indices] += updates, row by row; a row that comes twice gets both.";
constexpr const char* kSubDoc = "ref[indices] -= updates, row by row; a row that comes twice loses both.";

const internal::OpRegistration kScatterOps[] = {
    DefineScatter("ScatterUpdate", "T: type", "use_locking: bool = true", kUpdateDoc),
    DefineScatter("ScatterAdd", kNumericT, "use_locking: bool = false", kAddDoc),
    DefineScatter("ScatterSub", kNumericT, "use_locking: bool = false", kSubDoc),
    DefineResourceScatter("ResourceScatterUpdate", kUpdateDoc),
    DefineResourceScatter("ResourceScatterAdd", kAddDoc),
    DefineResourceScatter("ResourceScatterSub", kSubDoc),
};

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
    .Shape(UnknownOutputs())
    .Gradient(&ResourceGatherGradient)
    .Doc("Rows of the handle's variable: output[i...] = variable[indices[i...]].");

}  // namespace dfrun
