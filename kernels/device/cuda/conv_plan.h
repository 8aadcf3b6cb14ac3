// How cuDNN convolves: plans of its graph interface, made for a card or, where there is none, for the description of
// one.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_CONV_PLAN_H_
#define DFRUN_KERNELS_DEVICE_CUDA_CONV_PLAN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/device/cuda/cudnn.h"
#include "src/framework/arithmetic.h"
#include "src/framework/dtype.h"

namespace dfrun::cuda {

// Which of the three tensors is computed of the two others.
enum class ConvResult { kOutput, kInput, kFilter };

// What is done with an output before it is written. Engines that also apply Relu, but for the slowest, do not promise
// to keep NaN.
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
  ConvEpilogue epilogue = ConvEpilogue::kNone;  // of kOutput
  LibraryConvShape shape;
  DType dtype = DType::kFloat;
  Arithmetic arithmetic = {};
};

// For what plans are made. The library's objects live as long as the plans.
class CudnnTarget {
 public:
  // The card of a handle.
  static CudnnTarget OfCard(const Cudnn& cudnn, cudnnHandle_t handle) { return {cudnn, handle, nullptr}; }
  // A card that is not here, as cuDNN describes one in JSON. Unimplemented before cuDNN 9.8.
  static Result<CudnnTarget> OfDescription(const Cudnn& cudnn, const std::string& json);

  const Cudnn& cudnn() const { return *cudnn_; }
  void SetOnGraph(CudnnDescriptor& graph) const;
  void SetOnHeuristic(CudnnDescriptor& heuristic) const;
  void SetOnPlan(CudnnDescriptor& plan) const;

 private:
  CudnnTarget(const Cudnn& cudnn, cudnnHandle_t handle, std::shared_ptr<CudnnDescriptor> description)
      : cudnn_(&cudnn), handle_(handle), description_(std::move(description)) {}

  const Cudnn* cudnn_;
  cudnnHandle_t handle_;
  std::shared_ptr<CudnnDescriptor> description_;  // null: the card is the handle's
};

// A way that the library has chosen. Results have the same bits in every run, and float32 is not computed in fewer
// bits, but where the task's arithmetic lets it: ways that say otherwise are not taken. Thread safety: const.
class ConvPlan {
 public:
  // Names of the tensors within a plan.
  static constexpr int64_t kInputId = 1;
  static constexpr int64_t kFilterId = 2;
  static constexpr int64_t kOutputId = 3;
  static constexpr int64_t kBiasId = 4;

  // Unimplemented where the library has no such way.
  static Result<std::unique_ptr<const ConvPlan>> Create(const CudnnTarget& target, const ConvTask& task);

  cudnnBackendDescriptor_t get() const { return plan_->get(); }
  int64_t workspace_bytes() const { return workspace_bytes_; }
  // "engine 46, knobs 1=0 5=2, 1024 bytes of workspace": knobs by the library's numbers.
  Result<std::string> Describe() const;

 private:
  explicit ConvPlan(const Cudnn& cudnn) : cudnn_(cudnn) {}
  Result<std::string> Knobs(const CudnnDescriptor& way) const;

  const Cudnn& cudnn_;
  std::vector<CudnnDescriptor> kept_;  // what the plan is made of; the last is how it is done
  std::unique_ptr<CudnnDescriptor> plan_;
  int64_t workspace_bytes_ = 0;
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_CONV_PLAN_H_
