// The row numbers that scatter, gather and sparse updates take.
#ifndef DFRUN_KERNELS_STATE_ROW_INDICES_H_
#define DFRUN_KERNELS_STATE_ROW_INDICES_H_

#include <vector>

#include "src/framework/values/tensor.h"

namespace dfrun {

// The elements of an int32 or int64 tensor, each checked to be in [0, rows); InvalidArgument names the first that is
// not.
Result<std::vector<int64_t>> ReadRowIndices(const Tensor& indices, int64_t rows);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_STATE_ROW_INDICES_H_
