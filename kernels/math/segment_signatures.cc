#include "kernels/math/segment_signatures.h"

#include "kernels/array/int_values.h"

namespace dfrun {

PartialShape RowsOf(int64_t rows, const PartialShape& data, int leading) {
  if (!data.known_rank()) return PartialShape();
  std::vector<int64_t> dims(data.dims().begin() + leading, data.dims().end());
  dims.insert(dims.begin(), rows);
  return PartialShape(std::move(dims));
}

Result<int64_t> KnownRows(InferenceContext& c, int i, const char* what) {
  if (c.input(i).known_rank() && c.input(i).rank() != 0)
    return InvalidArgument(what, " has shape ", c.input(i), ", but must be a scalar");
  DF_ASSIGN(const auto rows, KnownIntScalar(c, i, what));
  if (rows && *rows < 0) return InvalidArgument(what, " is ", *rows, ", but must not be negative");
  return rows.value_or(PartialShape::kUnknown);
}

void ExtremeOfSegmentGradient(GradientBuilder& g, RowFn pick, RowFn sum) {
  const Output attains = g.Op("Equal", g.x(0), pick(g, g.y(0)));
  const Output ties = sum(g, g.Op("Cast", AttrMap{{"DstT", g.dtype(g.x(0))}}, attains));
  const Output shares = pick(g, g.Op("RealDiv", g.dy(0), ties));
  g.dx(0) = g.Op("SelectV2", attains, shares, g.ScalarLike(g.x(0), 0));
}

void ProductOfSegmentGradient(GradientBuilder& g, RowFn pick, RowFn sum, RowFn prod) {
  const Output zero = g.ScalarLike(g.x(0), 0);
  const Output is_zero = g.Op("Equal", g.x(0), zero);
  const Output zeros = sum(g, g.Op("Cast", AttrMap{{"DstT", DType::kInt32}}, is_zero));
  const Output several = g.Op("Greater", zeros, g.Const(Tensor::Scalar<int32_t>(1)));
  const Output dy = g.Op("SelectV2", several, zero, g.dy(0));
  const Output nonzero = g.Op("SelectV2", is_zero, g.ScalarLike(g.x(0), 1), g.x(0));
  const Output others = g.Op("SelectV2", is_zero, pick(g, prod(g, nonzero)), g.Op("RealDiv", pick(g, g.y(0)), nonzero));
  g.dx(0) = g.Op("Mul", pick(g, dy), others);
}

}  // namespace dfrun
