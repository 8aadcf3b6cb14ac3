// Tensors with slices changed by index.
#include <string>

#include "kernels/array/as_column.h"
#include "kernels/array/int_values.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

// Checks that updates are [the indices' dimensions but the last, a slice of the tensor]. It passes where ranks are
// unknown.
Status CheckUpdates(const PartialShape& x, const PartialShape& indices, const PartialShape& updates) {
  if (!x.known_rank() || !indices.known_rank()) return Status();
  const int64_t depth = indices.dim(indices.rank() - 1);
  if (depth < 0) return Status();
  if (depth > x.rank()) return InvalidArgument("indices of ", depth, " coordinates for a tensor of shape ", x);
  std::vector<int64_t> dims(indices.dims().begin(), indices.dims().end() - 1);
  dims.insert(dims.end(), x.dims().begin() + depth, x.dims().end());
  return PartialShape(std::move(dims)).Merge(updates).status();
}

void ChangedTensor(OpBuilder& op) {
  op.Input("tensor: T")
      .Input("indices: Tindices")
      .Input("updates: T")
      .Output("output: T")
      .Attr("T: type")
      .Shape([](InferenceContext& c) -> Status {
        DF_ASSIGN(PartialShape x, c.WithRankAtLeast(0, 1));
        DF_ASSIGN(const PartialShape indices, c.WithRankAtLeast(1, 1));
        DF_ASSIGN(const PartialShape updates, c.WithRankAtLeast(2, 1));
        DF_TRY(CheckUpdates(x, indices, updates));
        c.set_output(0, std::move(x));
        return Status();
      });
}
void IndicesAndPolicy(OpBuilder& op) {
  op.Attr("Tindices: {int32, int64}").Attr("bad_indices_policy: string = ''");
}

AttrMap UpdatePolicy(GradientBuilder& g) {
  return {{"bad_indices_policy", g.attr<std::string>("bad_indices_policy")}};
}

// True for each update that is the last of its slice; scattering the updates' numbers in the same way finds it.
Output UpdatesThatStand(GradientBuilder& g) {
  const Output zero = g.Const(Tensor::Scalar<int32_t>(0));
  const Output one = g.Const(Tensor::Scalar<int32_t>(1));
  const Output shape = g.Op("Shape", g.x(1));
  const Output last = g.Op("Reshape", g.Op("Sub", g.Op("Rank", g.x(1)), one), g.Const<int32_t>({1}));
  const Output depth = g.Op("Slice", shape, last, g.Const<int32_t>({1}));
  const Output updates = g.Op("Slice", shape, g.Const<int32_t>({0}), last);
  const Output numbers = g.Op("Reshape", g.Op("Range", zero, g.Op("Prod", updates, zero), one), updates);
  const Output slices = g.Op("Slice", g.Op("Shape", g.x(0)), g.Const<int32_t>({0}), depth);
  const Output none = g.Op("Fill", slices, g.Const(Tensor::Scalar<int32_t>(-1)));
  const Output winners = g.Op("TensorScatterUpdate", UpdatePolicy(g), none, g.x(1), numbers);
  return g.Op("Equal", g.Op("GatherNd", UpdatePolicy(g), winners, g.x(1)), numbers);
}

OP("TensorScatterUpdate")
    .As(ChangedTensor)
    .Attr("Tindices: {int16, int32, int64, uint16}")
    .Attr("bad_indices_policy: string = ''")
    .Gradient([](GradientBuilder& g) {
      g.dx(0) = g.Op("TensorScatterUpdate", UpdatePolicy(g), g.dy(0), g.x(1), g.Op("ZerosLike", g.x(2)));
      const Output slices = g.Op("GatherNd", UpdatePolicy(g), g.dy(0), g.x(1));
      g.dx(2) = g.Op("SelectV2", AsColumn(g, UpdatesThatStand(g), slices), slices, g.ScalarLike(slices, 0));
    })
    .Cost(CopyCost())
    .Doc("The tensor with the slices at the indices replaced; of several updates of a slice the last stands.");

OP("TensorScatterAdd")
    .As(ChangedTensor)
    .As(IndicesAndPolicy)
    .Gradient([](GradientBuilder& g) {
      g.dx(0) = g.dy(0);
      g.dx(2) = g.Op("GatherNd", UpdatePolicy(g), g.dy(0), g.x(1));
    })
    .Cost(ScanCost(2))
    .Doc("The tensor with the updates added to the slices at the indices.");

OP("TensorScatterSub")
    .As(ChangedTensor)
    .As(IndicesAndPolicy)
    .Gradient([](GradientBuilder& g) {
      g.dx(0) = g.dy(0);
      g.dx(2) = g.Op("Neg", g.Op("GatherNd", UpdatePolicy(g), g.dy(0), g.x(1)));
    })
    .Cost(ScanCost(2))
    .Doc("The tensor with the updates subtracted from the slices at the indices.");

// The elements and updates that are the result share its gradient equally.
void ExtremeGradient(GradientBuilder& g) {
  const AttrMap to_number = {{"DstT", g.dtype(g.x(0))}};
  const Output x_is = g.Op("Cast", to_number, g.Op("Equal", g.x(0), g.y(0)));
  const Output update_is =
      g.Op("Cast", to_number, g.Op("Equal", g.x(2), g.Op("GatherNd", UpdatePolicy(g), g.y(0), g.x(1))));
  const Output shape = g.Op("Shape", AttrMap{{"out_type", g.dtype(g.x(1))}}, g.x(0));
  const Output count = g.Op("AddV2", x_is, g.Op("ScatterNd", UpdatePolicy(g), g.x(1), update_is, shape));
  const Output share = g.Op("RealDiv", g.dy(0), count);
  g.dx(0) = g.Op("Mul", share, x_is);
  g.dx(2) = g.Op("Mul", g.Op("GatherNd", UpdatePolicy(g), share, g.x(1)), update_is);
}

OP("TensorScatterMax")
    .As(ChangedTensor)
    .As(IndicesAndPolicy)
    .Gradient(ExtremeGradient)
    .Cost(ScanCost(2))
    .Doc("The tensor with the larger of each element and its updates at the indices.");

OP("TensorScatterMin")
    .As(ChangedTensor)
    .As(IndicesAndPolicy)
    .Gradient(ExtremeGradient)
    .Cost(ScanCost(2))
    .Doc("The tensor with the smaller of each element and its updates at the indices.");

}  // namespace
}  // namespace dfrun
