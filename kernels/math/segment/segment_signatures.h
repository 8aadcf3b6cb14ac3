// Helpers of segment ops: shapes, and steps of their gradients.
#ifndef DFRUN_KERNELS_MATH_SEGMENT_SEGMENT_SIGNATURES_H_
#define DFRUN_KERNELS_MATH_SEGMENT_SEGMENT_SIGNATURES_H_

#include "kernels/array/as_column.h"
#include "kernels/math/functions/signatures.h"

namespace dfrun {

// [rows] followed by the dimensions of `data` after the first `leading`; of unknown rank where `data` is.
PartialShape RowsOf(int64_t rows, const PartialShape& data, int leading);

// The number of the output's rows that scalar input i gives, if it is known.
Result<int64_t> KnownRows(InferenceContext& c, int i, const char* what);

// A step of a gradient: a row of `rows` for each id (pick), or the sum of `rows` by id.
using RowGradient = Output (*)(GradientBuilder& g, Output rows);

// The gradient of an extreme, shared equally by the elements that attain it.
void ExtremeOfSegmentGradient(GradientBuilder& g, RowGradient pick, RowGradient sum);

// The product, for each of `rows`, of the other rows with its id. Rows of one id lie together. It divides by none of
// them.
Output ProductOfOthers(GradientBuilder& g, Output rows, Output ids);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_SEGMENT_SEGMENT_SIGNATURES_H_
