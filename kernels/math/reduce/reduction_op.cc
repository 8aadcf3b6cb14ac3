// Reductions over some dimensions.
#include <vector>

#include "kernels/math/functions/constant_integers.h"
#include "kernels/math/functions/gradients.h"
#include "kernels/math/functions/signatures.h"
#include "kernels/math/reduce/reduction_plan.h"

namespace dfrun {
namespace {

Status ReductionShape(InferenceContext& c) {
  const PartialShape& x = c.input(0);
  const PartialShape& axes_shape = c.input(1);
  DF_ASSIGN(const bool keep_dims, c.attr<bool>("keep_dims"));
  if (axes_shape.known_rank() && axes_shape.rank() > 1)
    return InvalidArgument("the axes have shape ", axes_shape, ", but must be a scalar or a vector");
  const Tensor* axes = c.input_value(1);
  if (axes == nullptr || !x.known_rank()) {
    if (keep_dims && x.known_rank()) c.set_output(0, PartialShape::UnknownOfRank(x.rank()));
    return Status();
  }
  DF_ASSIGN(const std::vector<bool> reduced, ReadReductionAxes(*axes, x.rank()));
  PartialShape y = PartialShape::Scalar();
  for (int d = 0; d < x.rank(); ++d) {
    if (!reduced[d]) {
      y.Append(x.dim(d));
    } else if (keep_dims) {
      y.Append(1);
    }
  }
  c.set_output(0, std::move(y));
  return Status();
}

template <const char* kTypes>
void ReductionOp(OpBuilder& op) {
  op.Input("input: T")
      .Input("reduction_indices: Tidx")
      .Output("output: T")
      .Attr("keep_dims: bool = false")
      .Attr(kTypes)
      .Attr("Tidx: {int32, int64} = DT_INT32")
      .Shape(ReductionShape)
      .Total()
      .Cost(ScanCost())
      .Rows(RowsUnlessAxis(1));
}

OP("Sum")
    .As(ReductionOp<kNumbers>)
    .Gradient([](GradientBuilder& g) { g.dx(0) = SpreadOverReduced(g, g.dy(0)); })
    .ConstantValue(&ReducedConstant<&SumOf, 0>)
    .Doc("The sum over the given dimensions.");

OP("Mean")
    .As(ReductionOp<kNumbers>)
    .Gradient([](GradientBuilder& g) { g.dx(0) = SpreadOverReduced(g, OverReducedCount(g, g.dy(0))); })
    .Doc("The mean over the given dimensions.");

OP("EuclideanNorm")
    .As(ReductionOp<kNumbers>)
    .Gradient([](GradientBuilder& g) {
      const Output direction = g.Op("RealDiv", g.x(0), KeptDims(g, g.y(0)));
      g.dx(0) = g.Op("Mul", direction, RealOf(g, KeptDims(g, g.dy(0))));
    })
    .Cost(ScanCost(0, 2))
    .Doc("The square root of the sum of the squares over the given dimensions.");

// The product of all elements but one, for each of them, from the running products of the left and of the right: right
// where elements are zero too. The reduced dimensions are brought to the front and merged for that.
void ProdGradient(GradientBuilder& g) {
  const Output zero = g.Const(Tensor::Scalar<int32_t>(0));
  const Output one = g.Const(Tensor::Scalar<int32_t>(1));
  const Output shape = g.Op("Shape", g.x(0));
  const Output rank = g.Op("Rank", g.x(0));
  const Output axes = g.Op("Reshape", g.Op("Cast", AttrMap{{"DstT", DType::kInt32}}, g.x(1)), g.Const<int32_t>({-1}));
  const Output reduced = g.Op("FloorMod", g.Op("AddV2", axes, rank), rank);
  const Output kept = g.Op("ListDiff", g.Op("Range", zero, rank, one), reduced);
  const Output perm = g.Op("ConcatV2", AttrMap{{"N", 2}}, reduced, kept, zero);
  const Output reduced_count = g.Op("Prod", g.Op("Gather", shape, reduced), zero);
  const Output kept_count = g.Op("Prod", g.Op("Gather", shape, kept), zero);
  const Output permuted = g.Op("Transpose", Conj(g, g.x(0)), perm);
  const Output matrix = g.Op("Reshape", permuted, g.AddNode("Pack", {reduced_count, kept_count}, {}));
  const Output left = g.Op("Cumprod", AttrMap{{"exclusive", true}}, matrix, zero);
  const Output right = g.Op("Cumprod", AttrMap{{"exclusive", true}, {"reverse", true}}, matrix, zero);
  const Output others = g.Op("Reshape", g.Op("Mul", left, right), g.Op("Shape", permuted));
  const Output factor = g.Op("Transpose", others, g.Op("InvertPermutation", perm));
  g.dx(0) = g.Op("Reshape", g.Op("Mul", KeptDims(g, g.dy(0)), factor), shape);
}

OP("Prod")
    .As(ReductionOp<kNumbers>)
    .Gradient(ProdGradient)
    .ConstantValue(&ReducedConstant<&ProductOf, 1>)
    .Doc("The product over the given dimensions.");

// The gradient is shared equally by the elements that attain the extreme.
void ExtremeGradient(GradientBuilder& g) {
  const Output y = KeptDims(g, g.y(0));
  const Output attains = g.Op("Cast", AttrMap{{"DstT", g.dtype(g.x(0))}}, g.Op("Equal", y, g.x(0)));
  const Output ties = g.Op("Sum", AttrMap{{"keep_dims", true}}, attains, g.x(1));
  g.dx(0) = g.Op("Mul", g.Op("RealDiv", attains, ties), KeptDims(g, g.dy(0)));
}

OP("Max")
    .As(ReductionOp<kOrderedOrQuantized>)
    .Gradient(ExtremeGradient)
    .ConstantValue(&ReducedConstant<&LargerOf, std::numeric_limits<int64_t>::min()>)
    .Doc("The largest value over the given dimensions; NaN where there is one.");

OP("Min")
    .As(ReductionOp<kOrderedOrQuantized>)
    .Gradient(ExtremeGradient)
    .ConstantValue(&ReducedConstant<&SmallerOf, std::numeric_limits<int64_t>::max()>)
    .Doc("The smallest value over the given dimensions; NaN where there is one.");

void LogicalReduction(OpBuilder& op) {
  op.Input("input: bool")
      .Input("reduction_indices: Tidx")
      .Output("output: bool")
      .Attr("keep_dims: bool = false")
      .Attr("Tidx: {int32, int64} = DT_INT32")
      .Shape(ReductionShape)
      .Total()
      .Cost(ScanCost())
      .Rows(RowsUnlessAxis(1))
      .NotDifferentiable();
}

OP("All").As(LogicalReduction).Doc("True where all values over the given dimensions are.");
OP("Any").As(LogicalReduction).Doc("True where any value over the given dimensions is.");

OP("L2Loss")
    .Input("t: T")
    .Output("output: T")
    .Attr(kFloats)
    .Shape(ScalarOutputs())
    .Gradient([](GradientBuilder& g) { g.dx(0) = g.Op("Mul", g.x(0), g.dy(0)); })
    .Cost(ScanCost(0, 2))
    .Doc("Half the sum of the squares.");

}  // namespace
}  // namespace dfrun
