// ConvPlan: the plan by which cuDNN convolves.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_CONV_PLAN_H_
#define DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_CONV_PLAN_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/device/cuda/library/graph_plan.h"

namespace dfrun::cuda {

// The one of the three tensors that is computed from the two others.
enum class ConvResult { kOutput, kInput, kFilter };

// The work done on an output before it is written. Engines that also apply Relu, but for the slowest, do not promise to
// keep NaN.
enum class ConvEpilogue { kNone, kBias };

// Sizes as the library has them: images and channels first, then the dimensions of space. A filter's are out-channels,
// in-channels of a group, space; it lies as the images do: with channels last, or first.
struct LibraryConvShape {
  std::vector<int64_t> input;
  std::vector<int64_t> filter;
  std::vector<int64_t> output;
  std::vector<int64_t> strides;
  std::vector<int64_t> dilations;
  std::vector<int64_t> pad_before;
  std::vector<int64_t> pad_after;
  bool channels_first = false;
  bool operator==(const LibraryConvShape&) const = default;
};

struct ConvTask {
  ConvResult result = ConvResult::kOutput;
  ConvEpilogue epilogue = ConvEpilogue::kNone;  // only kOutput has one
  LibraryConvShape shape;
  DType dtype = DType::kFloat;
  Arithmetic arithmetic = {};
};

// The library's plan of a convolution.
struct ConvPlan {
  // Names of the tensors within a plan.
  static constexpr int64_t kInputId = 1;
  static constexpr int64_t kFilterId = 2;
  static constexpr int64_t kOutputId = 3;
  static constexpr int64_t kBiasId = 4;

  // Unimplemented where the library has no such way.
  static Result<std::unique_ptr<const CudnnPlan>> Create(const CudnnTarget& target, const ConvTask& task);
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_CONV_PLAN_H_
