#include "kernels/math/segment/segment_signatures.h"

#include "kernels/array/int_values.h"
#include "kernels/math/functions/gradients.h"

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

void ExtremeOfSegmentGradient(GradientBuilder& g, RowGradient pick, RowGradient sum) {
  const Output attains = g.Op("Equal", g.x(0), pick(g, g.y(0)));
  const Output ties = sum(g, g.Op("Cast", AttrMap{{"DstT", CountingDType(g.dtype(g.x(0)))}}, attains));
  const Output shares = pick(g, OverCounts(g, g.dy(0), ties));
  g.dx(0) = g.Op("SelectV2", attains, shares, g.ScalarLike(g.x(0), 0));
}

Output ProductOfOthers(GradientBuilder& g, Output rows, Output ids) {
  const Output zero = g.Const(Tensor::Scalar<int32_t>(0));
  const Output one = g.Const(Tensor::Scalar<int32_t>(1));
  const Output count = g.Op("Size", ids);
  const Output positions = g.Op("Range", zero, count, one);
  // The product of the segment's rows before each row in a direction, in which `first` is the first of all rows.
  const auto product_before = [&](bool reverse, Output first) -> Output {
    const Output neighbours = g.Op("Roll", ids, g.Const(Tensor::Scalar<int32_t>(reverse ? -1 : 1)), zero);
    const Output differs = g.Op("LogicalOr", g.Op("NotEqual", ids, neighbours), g.Op("Equal", positions, first));
    const Output begins = AsColumn(g, differs, rows);
    const Output slopes = g.Op("SelectV2", begins, g.ScalarLike(rows, 0), rows);
    const Output offsets = g.Op("SelectV2", begins, rows, g.ScalarLike(rows, 0));
    const AttrMap form = {{"exclusive", true}, {"reverse", reverse}};
    return g.Op("SelectV2", begins, g.ScalarLike(rows, 1), g.Op("LinearRecurrence", form, slopes, offsets, zero));
  };
  return g.Op("Mul", product_before(false, zero), product_before(true, g.Op("Sub", count, one)));
}

}  // namespace dfrun
