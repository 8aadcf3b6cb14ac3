// ListDiff for every device.
#ifndef DFRUN_KERNELS_ARRAY_INDEX_LIST_DIFF_H_
#define DFRUN_KERNELS_ARRAY_INDEX_LIST_DIFF_H_

#include "src/base/status.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

// InvalidArgument where they are no vectors.
inline Status CheckListDiff(const Tensor& x, const Tensor& y) {
  if (x.shape().rank() == 1 && y.shape().rank() == 1) return Status();
  return InvalidArgument("ListDiff takes vectors, but x has shape ", x.shape(), " and y ", y.shape());
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_INDEX_LIST_DIFF_H_
