// Bands of diagonals of matrices: which element of a packed band is which element of the matrix.
//
// Diagonal d of a matrix has the elements whose column minus row is d. A packed band holds the diagonals upper, ...,
// lower as rows as long as the longest of them; a shorter diagonal stands at the left or at the right of its row.
// Source: MatrixDiagV3 and its kin.
#ifndef DFRUN_KERNELS_ARRAY_MOVE_MATRIX_DIAG_H_
#define DFRUN_KERNELS_ARRAY_MOVE_MATRIX_DIAG_H_

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "src/framework/op/inference.h"
#include "src/framework/values/attr.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

// The diagonals that `k` names: one number, or the lowest and the highest.
struct DiagonalRange {
  int64_t lower = 0;
  int64_t upper = 0;

  constexpr int64_t count() const { return upper - lower + 1; }
  // The length of the longest diagonal of matrices of this size.
  constexpr int64_t MaxLength(int64_t rows, int64_t cols) const {
    return std::min(rows + std::min<int64_t>(upper, 0), cols - std::max<int64_t>(lower, 0));
  }
};

// InvalidArgument for another shape than [], [1] or [2], or a lower above the upper.
Result<DiagonalRange> ReadDiagonalRange(const Tensor& k);
// InvalidArgument unless matrices of this size have the lowest and the highest of the diagonals.
Status CheckDiagonalRange(const DiagonalRange& range, int64_t rows, int64_t cols);

// The alignment of diagonals in their rows of the band.
struct DiagonalAlign {
  bool super_left = true;  // diagonals above the main one
  bool sub_left = true;    // the main diagonal and those below

  // Reads the attr `align`, "RIGHT_LEFT" and so on: first the diagonals above. All left where there is no such attr.
  static DiagonalAlign Read(const AttrMap& attrs);
};

struct Band {
  int64_t rows = 0;
  int64_t cols = 0;
  DiagonalRange range;
  DiagonalAlign align;

  constexpr int64_t max_length() const { return range.MaxLength(rows, cols); }
  constexpr int64_t Length(int64_t d) const {
    return std::min(rows + std::min<int64_t>(d, 0), cols - std::max<int64_t>(d, 0));
  }
  // The offset in the packed band of the first element of diagonal d; the others follow.
  constexpr int64_t Begin(int64_t d) const {
    const bool left = d > 0 ? align.super_left : align.sub_left;
    return (range.upper - d) * max_length() + (left ? 0 : max_length() - Length(d));
  }
  // The offset in the matrix of the first element of diagonal d; the others follow every cols + 1 elements.
  constexpr int64_t MatrixBegin(int64_t d) const { return d >= 0 ? d : -d * cols; }
  // The element of the packed band that an element of the matrix is, or the other way round; -1 where there is none.
  constexpr int64_t InBand(int64_t row, int64_t col) const {
    const int64_t d = col - row;
    return d < range.lower || d > range.upper ? -1 : Begin(d) + std::min(row, col);
  }
  constexpr int64_t InMatrix(int64_t packed) const {
    const int64_t d = range.upper - packed / max_length();
    const int64_t i = packed - Begin(d);
    return i < 0 || i >= Length(d) ? -1 : MatrixBegin(d) + i * (cols + 1);
  }
  constexpr int64_t size() const { return range.count() * max_length(); }
};

// The band of matrices whose diagonals are packed in rows of `length`. A size of -1 is computed: square where neither
// is given; diagonals that the matrices then do not have are left out. InvalidArgument where the sizes do not fit.
Result<Band> BandOfDiagonals(const DiagonalRange& range, int64_t length, int64_t rows, int64_t cols);

// The shape of the packed bands of `batch` (a shape less its last `drop` dimensions): [batch..., count, length],
// without the count where there is one diagonal.
Shape BandShape(const Shape& batch, int drop, const Band& band);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_MOVE_MATRIX_DIAG_H_
