#include "kernels/math/functions/gradients.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace dfrun {
namespace {

int64_t DimFromRight(const PartialShape& shape, int i) {
  return i < shape.rank() ? shape.dim(shape.rank() - 1 - i) : 1;
}

// The axes of the broadcast shape along which `x` is repeated to match `other`; nothing where only the step will tell.
// An axis where x has size 1 and the other's size is unknown counts: summing over an axis of size 1 changes nothing.
std::optional<std::vector<int32_t>> RepeatedAxes(const PartialShape& x, const PartialShape& other) {
  if (!x.known_rank() || !other.known_rank()) return std::nullopt;
  const int rank = std::max(x.rank(), other.rank());
  std::vector<int32_t> axes;
  for (int axis = 0; axis < rank; ++axis) {
    const int64_t mine = DimFromRight(x, rank - 1 - axis);
    const int64_t others = DimFromRight(other, rank - 1 - axis);
    if (mine == PartialShape::kUnknown && others != 1) return std::nullopt;
    const bool missing = axis < rank - x.rank();
    if (mine == 1 && (others != 1 || missing)) axes.push_back(axis);
  }
  return axes;
}

Output ShapeOf(GradientBuilder& g, Output value) {
  const PartialShape& shape = g.shape(value);
  if (!shape.IsFullyDefined()) return g.Op("Shape", value);
  std::vector<int32_t> dims(shape.dims().begin(), shape.dims().end());
  return g.Const(Tensor::Vector<int32_t>(dims));
}

Output InDType(GradientBuilder& g, Output value, DType dtype) {
  return g.dtype(value) == dtype ? value : Output(g.Op("Cast", AttrMap{{"DstT", dtype}}, value));
}

// The attr of ops that give a part of a complex value.
AttrMap PartsOf(GradientBuilder& g, Output value) {
  return {{"Tout", g.dtype(value) == DType::kComplex128 ? DType::kDouble : DType::kFloat}};
}

// x / y by an op that divides, in the dtype of y, as a number of the dtype of x.
Output Quotient(GradientBuilder& g, const char* op, Output x, Output y) {
  return InDType(g, g.Op(op, InDType(g, x, g.dtype(y)), y), g.dtype(x));
}

}  // namespace

GradientFn TimesDerivative(Output (*derivative)(GradientBuilder& g, Output x)) {
  return [derivative](GradientBuilder& g) { g.dx(0) = g.Op("Mul", g.dy(0), derivative(g, Conj(g, g.x(0)))); };
}

void SetBroadcastGradient(GradientBuilder& g, int input, Output grad) {
  SetSummedGradient(g, input, grad, g.x(1 - input));
}

void SetSummedGradient(GradientBuilder& g, int input, Output grad, Output other) {
  const Output x = g.x(input);
  const auto axes = RepeatedAxes(g.shape(x), g.shape(other));
  if (!axes) {
    const AddedNode args = g.Op("BroadcastGradientArgs", g.Op("Shape", x), g.Op("Shape", other));
    g.dx(input) = g.Op("Reshape", g.Op("Sum", grad, args[0]), g.Op("Shape", x));
  } else if (axes->empty()) {
    g.dx(input) = grad;
  } else {
    const Output sum = g.Op("Sum", grad, g.Const(Tensor::Vector<int32_t>(*axes)));
    const bool leading_only = static_cast<int>(axes->size()) == g.shape(grad).rank() - g.shape(x).rank() &&
                              axes->back() == static_cast<int32_t>(axes->size()) - 1;
    g.dx(input) = leading_only ? sum : g.Op("Reshape", sum, ShapeOf(g, x));
  }
}

void SetBroadcastGradients(GradientBuilder& g, Output x_grad, Output y_grad) {
  SetBroadcastGradient(g, 0, x_grad);
  SetBroadcastGradient(g, 1, y_grad);
}

Output KeptDims(GradientBuilder& g, Output value) {
  const bool scalar = g.shape(value).known_rank() && g.shape(value).rank() == 0;
  if (g.attr<bool>("keep_dims") || scalar) return value;
  // Shape(x) with 1 instead of every reduced dimension.
  const Output rank = g.Op("Rank", g.x(0));
  const Output zero = g.Const(Tensor::Scalar<int32_t>(0));
  const Output one = g.Const(Tensor::Scalar<int32_t>(1));
  const Output axes = g.Op("Cast", AttrMap{{"DstT", DType::kInt32}}, g.x(1));
  const Output positive = g.Op("FloorMod", g.Op("AddV2", axes, rank), rank);
  const Output ones = g.Op("Fill", g.Op("Shape", axes), one);
  const Output shape =
      g.Op("DynamicStitch", AttrMap{{"N", 2}}, g.Op("Range", zero, rank, one), positive, g.Op("Shape", g.x(0)), ones);
  return g.Op("Reshape", value, shape);
}

Output SpreadOverReduced(GradientBuilder& g, Output value) {
  return g.Op("BroadcastTo", KeptDims(g, value), ShapeOf(g, g.x(0)));
}

Output OverReducedCount(GradientBuilder& g, Output value) {
  const DType dtype = CountingDType(g.dtype(value));
  const int64_t in = g.shape(g.x(0)).num_elements();
  const int64_t out = g.shape(g.y(0)).num_elements();
  if (in < 0 || out < 0) {
    const Output one = g.Const(Tensor::Scalar<int32_t>(1));
    const Output count = g.Op("FloorDiv", g.Op("Size", g.x(0)), g.Op("Maximum", g.Op("Size", g.y(0)), one));
    return Quotient(g, "RealDiv", value, InDType(g, g.Op("Maximum", count, one), dtype));
  }
  const auto count = static_cast<double>(out == 0 ? 1 : std::max<int64_t>(1, in / out));
  return Quotient(g, "RealDiv", value, g.ScalarLike(InDType(g, value, dtype), count));
}

DType CountingDType(DType dtype) {
  return dtype == DType::kHalf || dtype == DType::kBfloat16 ? DType::kFloat : dtype;
}

Output OverCounts(GradientBuilder& g, Output sums, Output counts) {
  return Quotient(g, "DivNoNan", sums, counts);
}

Output Conj(GradientBuilder& g, Output value) {
  return IsComplex(g.dtype(value)) ? g.Op("Conj", value) : value;
}

Output RealOf(GradientBuilder& g, Output value) {
  if (!IsComplex(g.dtype(value))) return value;
  return g.Op("Cast", AttrMap{{"DstT", g.dtype(value)}}, g.Op("Real", PartsOf(g, value), value));
}

Output IsFinite(GradientBuilder& g, Output value) {
  if (!IsComplex(g.dtype(value))) return g.Op("IsFinite", value);
  const AttrMap parts = PartsOf(g, value);
  return g.Op("LogicalAnd", g.Op("IsFinite", g.Op("Real", parts, value)), g.Op("IsFinite", g.Op("Imag", parts, value)));
}

}  // namespace dfrun
