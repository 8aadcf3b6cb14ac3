// Updates of rows on GPUs that sum the changes of equal rows themselves.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_SUM_EQUAL_ROWS_H_
#define DFRUN_KERNELS_DEVICE_CUDA_SUM_EQUAL_ROWS_H_

#include "src/framework/values/attr.h"

namespace dfrun {

// True of a (Resource)SparseApply whose rows may come several times: it changes each by the sum of its changes.
inline constexpr const char* kSumsEqualRowsAttr = "_sums_equal_rows";
inline bool SumsEqualRows(const AttrMap& attrs) {
  const Result<bool> sums = attrs.Get<bool>(kSumsEqualRowsAttr);
  return sums.ok() && *sums;
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_DEVICE_CUDA_SUM_EQUAL_ROWS_H_
