// The GPUs' engine of scatters: slices of a tensor take the updates that were grouped for them, one after the other.
#ifndef DFRUN_KERNELS_ARRAY_INDEX_SCATTER_CUDA_H_
#define DFRUN_KERNELS_ARRAY_INDEX_SCATTER_CUDA_H_

#include "kernels/array/index/group_cuda.h"

namespace dfrun::cuda {

// The updates of a scatter: slices like those that they are for, or one element for all.
struct ScatterUpdates {
  const void* data;
  int64_t row;  // elements of a slice
  bool one_for_all = false;
};

// Combines slices of `y` with updates. An update that is refused sets `*refused`.
using ScatterLaunch = Status (*)(OpContext& ctx, const UpdateGroups& groups, const ScatterUpdates& updates, void* y,
                                 int32_t* error_flag);

// F::Combine(element, update, refused) is the element after an update. `parts`: of the one update for all elements,
// that many in turn; 0: each has its own.
template <class F, class T>
DF_DEVICE_KERNEL void CombineRuns(UpdateRuns runs, const T* updates, int64_t row, int64_t parts, T* y,
                                  int32_t* error_flag) {
  const int64_t thread = GlobalThreadId();
  const int64_t k = thread / row;
  if (k >= runs.count || !runs.BeginsAt(k)) return;
  const int64_t j = thread - k * row;
  const uint64_t slice = runs.Slice(k);
  T element = y[static_cast<int64_t>(slice) * row + j];
  for (int64_t m = k; runs.IsFor(m, slice); ++m) {
    element = F::template Combine<T>(element, updates[parts == 0 ? runs.order[m] * row + j : j % parts], error_flag);
  }
  y[static_cast<int64_t>(slice) * row + j] = element;
}

// Launches a scatter of elements of kParts numbers T.
template <class F, class T, int kParts = 1>
Status LaunchScatter(OpContext& ctx, const UpdateGroups& groups, const ScatterUpdates& updates, void* y,
                     int32_t* error_flag) {
  const UpdateRuns runs = groups.runs();
  const int64_t row = updates.row * kParts;
  if (row == 0) return Status();
  return Launch(ctx, runs.count * row, &CombineRuns<F, T>, runs, static_cast<const T*>(updates.data), row,
                int64_t{updates.one_for_all ? kParts : 0}, static_cast<T*>(y), error_flag);
}

// The last update of an element, their sum with it (of bools "or"), and the difference; null for objects.
ScatterLaunch ReplaceLaunch(DType dtype);
ScatterLaunch AddLaunch(DType dtype);
ScatterLaunch SubtractLaunch(DType dtype);

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_ARRAY_INDEX_SCATTER_CUDA_H_
