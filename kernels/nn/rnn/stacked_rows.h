// StackedRows: two matrices of one width, one above the other.
#ifndef DFRUN_KERNELS_NN_RNN_STACKED_ROWS_H_
#define DFRUN_KERNELS_NN_RNN_STACKED_ROWS_H_

#include <cstdint>

#include "kernels/math/functions/element.h"

namespace dfrun {

// The rows of `first`, then those of `rest`.
struct StackedRows {
  const float* first;
  int64_t first_rows;
  const float* rest;
  DF_HOST_DEVICE const float* Row(int64_t row, int64_t width) const {
    return row < first_rows ? first + row * width : rest + (row - first_rows) * width;
  }
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_RNN_STACKED_ROWS_H_
