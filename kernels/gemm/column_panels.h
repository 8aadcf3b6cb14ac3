// The columns of B in panels: as many at a time as the block of C that a product keeps in registers is wide.
#ifndef DFRUN_KERNELS_GEMM_COLUMN_PANELS_H_
#define DFRUN_KERNELS_GEMM_COLUMN_PANELS_H_

#include <algorithm>

#include "kernels/gemm/even_ranges.h"
#include "kernels/gemm/tuning.h"
#include "src/base/integers.h"

namespace dfrun {

struct ColumnPanel {
  int64_t column;   // the first
  int64_t columns;  // columns of the matrix; the last vector may have more lanes
  int vectors;
};

// The panels of a matrix, about equally wide.
// Thread safety: as an int.
template <class T>
class ColumnPanels {
 public:
  // Makes as few panels as can be, of at most most_vectors. columns: 1 or more.
  explicit ColumnPanels(int64_t columns, int most_vectors = kMaxVectors)
      : columns_(columns),
        vectors_(CeilDiv<int64_t>(columns, kLanes<T>), CeilDiv<int64_t>(columns, most_vectors * kLanes<T>)) {}

  int64_t count() const { return vectors_.count(); }
  ColumnPanel At(int64_t i) const {
    const Range vectors = vectors_.At(i);
    const int64_t column = vectors.begin * kLanes<T>;
    return {column, std::min(vectors.size * kLanes<T>, columns_ - column), static_cast<int>(vectors.size)};
  }

 private:
  int64_t columns_;
  EvenRanges vectors_;
};

// Columns of the last vector that count.
template <class T>
int LastColumns(const ColumnPanel& panel) {
  return static_cast<int>(panel.columns - (panel.vectors - 1) * kLanes<T>);
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_GEMM_COLUMN_PANELS_H_
