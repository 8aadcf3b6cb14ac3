// The GPUs' engine of segments: CUDA_KERNEL("UnsortedSegmentSum", FoldingGroups<UnsortedSegmentOnGpu, red::Sum>,
// float). A thread folds an element of a segment, in the order of the segment's rows.
#ifndef DFRUN_KERNELS_MATH_SEGMENT_SEGMENT_CUDA_H_
#define DFRUN_KERNELS_MATH_SEGMENT_SEGMENT_CUDA_H_

#include "kernels/array/index/group_cuda.h"
#include "kernels/math/functions/element.h"

namespace dfrun::cuda {

// Rows of data in groups: group g has those at begins[g] to begins[g + 1], as `order` and then `rows` name them, where
// there are such. A row that is not in the data is left out. Passed by value.
struct GpuRowGroups {
  const int64_t* begins;
  const int32_t* order;
  const int64_t* rows;
  int64_t data_rows;
  int64_t count;  // number of groups
  int64_t width;  // elements of a row
  bool empty_is_zero;

  DF_DEVICE_FUNCTION int64_t Row(int64_t k) const {
    const int64_t at = order == nullptr ? k : order[k];
    return rows == nullptr ? at : rows[at];
  }
};

template <class R, class T>
DF_DEVICE_KERNEL void ReduceGroup(GpuRowGroups groups, const T* data, T* y) {
  const int64_t thread = GlobalThreadId();
  if (thread >= groups.count * groups.width) return;
  const int64_t g = thread / groups.width;
  const int64_t column = thread - g * groups.width;
  const int64_t begin = groups.begins[g];
  const int64_t end = groups.begins[g + 1];
  if (begin == end && groups.empty_is_zero) {
    y[thread] = static_cast<T>(static_cast<ComputeType<T>>(0));
    return;
  }
  auto sum = R::template Start<T>();
  for (int64_t k = begin; k < end; ++k) {
    const int64_t row = groups.Row(k);
    if (row < 0 || row >= groups.data_rows) continue;
    sum = R::Combine(sum, R::template Lift<T>(static_cast<ComputeType<T>>(data[row * groups.width + column])));
  }
  y[thread] = R::template Finish<T>(sum, end - begin);
}

using GroupReduce = Status (*)(OpContext& ctx, GpuRowGroups groups, const void* data, void* y);

// Launches ReduceGroup for elements of kParts numbers T, each folded by itself.
template <class R, class T, int kParts = 1>
Status LaunchGroupReduce(OpContext& ctx, GpuRowGroups groups, const void* data, void* y) {
  groups.width *= kParts;
  return Launch(ctx, groups.count * groups.width, &ReduceGroup<R, T>, groups, static_cast<const T*>(data),
                static_cast<T*>(y));
}

// Segments whose ids are sorted, and how many there are only they tell: the kernel waits for the GPU.
class SegmentOnGpu : public Kernel {
 public:
  SegmentOnGpu(KernelSetup& setup, GroupReduce reduce, bool empty_is_zero);
  Status Compute(OpContext& ctx);

 private:
  const GroupReduce reduce_;
  const bool empty_is_zero_;
  const DeviceErrorFlag error_flag_;
};

// Segments whose rows are anywhere; the number of segments is an input.
class UnsortedSegmentOnGpu : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"num_segments"};
  UnsortedSegmentOnGpu(KernelSetup& setup, GroupReduce reduce);
  Status Compute(OpContext& ctx);

 private:
  const GroupReduce reduce_;
  const DeviceErrorFlag error_flag_;
};

// Segments of rows picked by index.
class SparseSegmentOnGpu : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"num_segments"};
  SparseSegmentOnGpu(KernelSetup& setup, GroupReduce reduce);
  Status Compute(OpContext& ctx);

 private:
  const GroupReduce reduce_;
  const DeviceErrorFlag error_flag_;
};

// The rows at which each of `segments` begins among sorted ids, int64 [segments + 1]. Ids that are not sorted, or
// beyond the segments, set `*refused`.
Result<Tensor> BeginsOfSorted(OpContext& ctx, const Tensor& ids, int64_t segments, int32_t* error_flag);

// K with the launch that folds by R.
template <class K, class R>
struct FoldingGroups {
  template <class T>
  struct Kernel : K {
    explicit Kernel(KernelSetup& setup) : K(setup, &LaunchGroupReduce<R, T>) {}
  };
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_MATH_SEGMENT_SEGMENT_CUDA_H_
