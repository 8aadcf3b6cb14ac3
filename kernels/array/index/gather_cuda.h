// Gathers on GPUs: rows along a dimension, and slices by coordinates. An index out of range sets `*refused` and is read
// as zeros.
#ifndef DFRUN_KERNELS_ARRAY_INDEX_GATHER_CUDA_H_
#define DFRUN_KERNELS_ARRAY_INDEX_GATHER_CUDA_H_

#include <string_view>

#include "kernels/array/index/coordinates.h"
#include "kernels/array/index/gather_loops.h"

namespace dfrun::cuda {

inline constexpr std::string_view kGatherErrorText = "an index is outside of the range of the gathered dimension";

// `y` has the shape that GatherLoops::Of gave.
Status GatherRows(OpContext& ctx, const Tensor& params, const Tensor& indices, const GatherLoops& loops, Tensor& y,
                  int32_t* error_flag);
// `y` has the dimensions that plan.SliceDims() gives.
Status GatherSlices(OpContext& ctx, const Tensor& params, const Tensor& indices, const CoordinatePlan& plan,
                    BadIndices bad, Tensor& y, int32_t* error_flag);

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_ARRAY_INDEX_GATHER_CUDA_H_
