// Coordinates of slices as functions of a GPU read them.
#ifndef DFRUN_KERNELS_ARRAY_INDEX_COORDINATES_CUDA_H_
#define DFRUN_KERNELS_ARRAY_INDEX_COORDINATES_CUDA_H_

#include <algorithm>

#include "kernels/array/index/coordinates.h"
#include "kernels/device/cuda/runtime/block.h"

namespace dfrun::cuda {

// Coordinates in the form that device code reads. Passed by value. A refused coordinate sets `*refused`; with null it
// is ignored.
struct GpuCoordinates {
  static constexpr int kMaxDepth = 8;
  int depth = 0;
  int64_t row = 1;
  int64_t sizes[kMaxDepth] = {};
  int32_t* error_flag = nullptr;

  // Unimplemented for more coordinates.
  static Result<GpuCoordinates> Of(const CoordinatePlan& plan, BadIndices bad, int32_t* error_flag) {
    if (plan.sizes.size() > kMaxDepth)
      return Unimplemented("GPUs take at most ", kMaxDepth, " coordinates, not ", plan.sizes.size());
    GpuCoordinates gpu;
    gpu.depth = static_cast<int>(plan.sizes.size());
    gpu.row = plan.row;
    std::copy(plan.sizes.begin(), plan.sizes.end(), gpu.sizes);
    if (bad == BadIndices::kError) gpu.error_flag = error_flag;
    return gpu;
  }

  // The slice that coordinates i name, or kNowhere.
  template <class Index>
  DF_DEVICE_FUNCTION int64_t Slice(const Index* indices, int64_t i) const {
    int64_t slice = 0;
    for (int d = 0; d < depth; ++d) {
      const auto at = static_cast<int64_t>(indices[i * depth + d]);
      if (at < 0 || at >= sizes[d]) {
        if (error_flag != nullptr) *error_flag = 1;
        return CoordinateSlices::kNowhere;
      }
      slice = slice * sizes[d] + at;
    }
    return slice;
  }
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_ARRAY_INDEX_COORDINATES_CUDA_H_
