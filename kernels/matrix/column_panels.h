// The columns of B in panels: as many at a time as the block of C that a product keeps in registers is wide.
#ifndef DFRUN_KERNELS_MATRIX_COLUMN_PANELS_H_
#define DFRUN_KERNELS_MATRIX_COLUMN_PANELS_H_

#include <algorithm>

#include "kernels/matrix/gemm_block.h"
#include "src/base/integers.h"

namespace dfrun {

struct ColumnPanel {
  int64_t column;   // the first
  int64_t columns;  // of the matrix; the last vector may have more lanes
  int vectors;
};

// Of about the same width. Thread safety: as an int.
template <class T>
class ColumnPanels {
 public:
  // As few as can be, but a multiple of `multiple` where there are as many vectors.
  explicit ColumnPanels(int64_t columns, int64_t multiple = 1)
      : columns_(columns),
        vectors_(CeilDiv<int64_t>(columns, kLanes<T>)),
        count_(std::min(vectors_, RoundUp(CeilDiv<int64_t>(vectors_, kMaxVectors), multiple))) {}

  int64_t count() const { return count_; }
  ColumnPanel At(int64_t i) const {
    const int64_t first = i * vectors_ / count_;
    const int vectors = static_cast<int>((i + 1) * vectors_ / count_ - first);
    const int64_t column = first * kLanes<T>;
    return {column, std::min(vectors * int64_t{kLanes<T>}, columns_ - column), vectors};
  }

 private:
  int64_t columns_;
  int64_t vectors_;
  int64_t count_;
};

// Columns of the last vector that count.
template <class T>
int LastColumns(const ColumnPanel& panel) {
  return static_cast<int>(panel.columns - (panel.vectors - 1) * kLanes<T>);
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_COLUMN_PANELS_H_
