#include "kernels/linalg/gradients.h"

#include <algorithm>

namespace dfrun {
namespace {

Output Band(GradientBuilder& g, Output matrices, int64_t lower, int64_t upper) {
  return g.Op("MatrixBandPart", matrices, g.Const(Tensor::Scalar(lower)), g.Const(Tensor::Scalar(upper)));
}

Output WithDim(GradientBuilder& g, Output value, int32_t axis) {
  return g.Op("ExpandDims", value, g.Const(Tensor::Scalar(axis)));
}

}  // namespace

Output LowerTriangle(GradientBuilder& g, Output matrices) {
  return Band(g, matrices, -1, 0);
}

Output UpperTriangle(GradientBuilder& g, Output matrices) {
  return Band(g, matrices, 0, -1);
}

Output HalvedDiagonal(GradientBuilder& g, Output matrices) {
  return g.Op("MatrixSetDiag", matrices, Scaled(g, g.Op("MatrixDiagPart", matrices), 0.5));
}

Output Scaled(GradientBuilder& g, Output value, double factor) {
  return g.Op("Mul", value, g.ScalarLike(value, factor));
}

Output ScaledMatrices(GradientBuilder& g, Output numbers, Output matrices) {
  return g.Op("Mul", WithDim(g, WithDim(g, numbers, -1), -1), matrices);
}

Output SafeReciprocal(GradientBuilder& g, Output x) {
  const Output square = g.Op("AddV2", g.Op("Mul", x, x), g.ScalarLike(x, 1e-20));
  return g.Op("Mul", x, g.Op("Reciprocal", square));
}

Output ReciprocalDifferences(GradientBuilder& g, Output x) {
  const Output differences = g.Op("Sub", WithDim(g, x, -2), WithDim(g, x, -1));
  return g.Op("MatrixSetDiag", SafeReciprocal(g, differences), g.Op("ZerosLike", x));
}

Output Columns(GradientBuilder& g, Output matrices, int64_t begin, int64_t end) {
  const auto rank = static_cast<size_t>(g.shape(matrices).rank());
  std::vector<int64_t> starts(rank, 0);
  std::vector<int64_t> sizes(rank, -1);
  starts.back() = begin;
  sizes.back() = end - begin;
  return g.Op("Slice", matrices, g.Const(Tensor::Vector<int64_t>(std::span<const int64_t>(starts))),
              g.Const(Tensor::Vector<int64_t>(std::span<const int64_t>(sizes))));
}

}  // namespace dfrun
