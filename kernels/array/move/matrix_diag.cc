#include "kernels/array/move/matrix_diag.h"

#include "kernels/array/int_values.h"

namespace dfrun {

Result<DiagonalRange> ReadDiagonalRange(const Tensor& k) {
  const int64_t n = k.num_elements();
  if (k.shape().rank() > 1 || n < 1 || n > 2)
    return InvalidArgument("k has shape ", k.shape(), ", but must be a number, or two: the lowest and the highest");
  const std::vector<int64_t> values = IntValues(k);
  if (values.back() < values.front())
    return InvalidArgument("k is ", values.front(), " to ", values.back(),
                           ": the lowest diagonal is above the highest");
  return DiagonalRange{values.front(), values.back()};
}

Status CheckDiagonalRange(const DiagonalRange& range, int64_t rows, int64_t cols) {
  for (int64_t d : {range.lower, range.upper}) {
    if (d != 0 && (d <= -rows || d >= cols))
      return InvalidArgument("matrices [", rows, ",", cols, "] have no diagonal ", d, ": it must be above ", -rows,
                             " and below ", cols);
  }
  return Status();
}

Result<Band> BandOfDiagonals(const DiagonalRange& range, int64_t length, int64_t rows, int64_t cols) {
  const int64_t min_rows = length - std::min<int64_t>(range.upper, 0);
  const int64_t min_cols = length + std::max<int64_t>(range.lower, 0);
  Band band;
  band.range = range;
  const bool square = rows == -1 && cols == -1;
  band.rows = square ? std::max(min_rows, min_cols) : rows == -1 ? min_rows : rows;
  band.cols = square ? band.rows : cols == -1 ? min_cols : cols;
  if (band.rows < min_rows || band.cols < min_cols || (band.rows != min_rows && band.cols != min_cols))
    return InvalidArgument("diagonals ", range.lower, " to ", range.upper, " of length ", length, " do not fit ", rows,
                           " rows and ", cols, " columns");
  return band;
}

DiagonalAlign DiagonalAlign::Read(const AttrMap& attrs) {
  const Result<std::string> align = attrs.Get<std::string>("align");
  if (!align.ok()) return {};
  return {align->starts_with("LEFT"), align->ends_with("LEFT")};
}

Shape BandShape(const Shape& batch, int drop, const Band& band) {
  std::vector<int64_t> dims(batch.dims().begin(), batch.dims().end() - drop);
  if (band.range.count() > 1) dims.push_back(band.range.count());
  dims.push_back(band.max_length());
  return Shape(std::span<const int64_t>(dims));
}

}  // namespace dfrun
