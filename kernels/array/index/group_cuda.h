// Updates on GPUs, grouped by the slices that they are for, so that one thread adds all that go to an element, in
// their order.
#ifndef DFRUN_KERNELS_ARRAY_INDEX_GROUP_CUDA_H_
#define DFRUN_KERNELS_ARRAY_INDEX_GROUP_CUDA_H_

#include <utility>

#include "kernels/array/index/coordinates.h"
#include "kernels/array/index/coordinates_cuda.h"
#include "kernels/array/sort/order_cuda.h"
#include "kernels/device/cuda/runtime/launch.h"

namespace dfrun::cuda {

// Update order[k] is the k-th in the order of slices. Passed by value.
struct UpdateRuns {
  const uint64_t* slices;  // by update
  const int32_t* order;
  int64_t count;   // number of updates
  uint64_t limit;  // slices from here on are none

  DF_DEVICE_FUNCTION uint64_t Slice(int64_t k) const { return slices[order[k]]; }
  // True if the k-th update is the first for its slice.
  DF_DEVICE_FUNCTION bool BeginsAt(int64_t k) const { return Slice(k) < limit && (k == 0 || Slice(k - 1) != Slice(k)); }
  DF_DEVICE_FUNCTION bool IsFor(int64_t k, uint64_t slice) const { return k < count && Slice(k) == slice; }
  // The first that is for `slice` or one behind it.
  DF_DEVICE_FUNCTION int64_t LowerBound(uint64_t slice) const {
    int64_t begin = 0;
    int64_t end = count;
    while (begin < end) {
      const int64_t middle = begin + (end - begin) / 2;
      if (Slice(middle) < slice) {
        begin = middle + 1;
      } else {
        end = middle;
      }
    }
    return begin;
  }
};

// The meaning of an index out of range.
enum class BadIndex {
  kRefused,          // an error
  kNegativeIgnored,  // an error unless it is negative: then it stands for no slice
  kIgnored,
};

// Memory of the runs.
// Thread safety: none.
class UpdateGroups {
 public:
  // Groups updates that each name one of `limit` slices: by a number, by coordinates, or by `slices`, uint64, which is
  // consumed; a slice of `limit` names none. A bad index sets `*refused`.
  static Result<UpdateGroups> ByIndex(OpContext& ctx, const Tensor& indices, int64_t limit, BadIndex bad,
                                      int32_t* error_flag);
  static Result<UpdateGroups> ByCoordinates(OpContext& ctx, const Tensor& indices, const CoordinatePlan& plan,
                                            BadIndices bad, int32_t* error_flag);
  static Result<UpdateGroups> BySlice(OpContext& ctx, Tensor slices, int64_t limit);

  UpdateRuns runs() const {
    return {slices_.data<uint64_t>(), order_.data<int32_t>(), slices_.num_elements(), static_cast<uint64_t>(limit_)};
  }
  int64_t limit() const { return limit_; }
  // The updates in the order of slices: int32.
  const Tensor& order() const { return order_; }
  // The positions at which the updates of each slice begin in the order, and their end: int64 [limit + 1].
  Result<Tensor> Begins(OpContext& ctx) const;

 private:
  Tensor slices_;
  Tensor order_;
  int64_t limit_ = 0;
};

// The slices that indices of any integer dtype name, as BySlice takes them: uint64.
Result<Tensor> SlicesOfIndices(OpContext& ctx, const Tensor& indices, int64_t limit, BadIndex bad, int32_t* error_flag);
Result<Tensor> SlicesOfCoordinates(OpContext& ctx, const Tensor& indices, const CoordinatePlan& plan, BadIndices bad,
                                   int32_t* error_flag);

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_ARRAY_INDEX_GROUP_CUDA_H_
