#include "kernels/math/gradients.h"

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

}  // namespace

void SetBroadcastGradient(GradientBuilder& g, int input, Output grad) {
  const Output x = g.x(input);
  const Output other = g.x(1 - input);
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

Output Conj(GradientBuilder& g, Output value) {
  return IsComplex(g.dtype(value)) ? g.Op("Conj", value) : value;
}

}  // namespace dfrun
