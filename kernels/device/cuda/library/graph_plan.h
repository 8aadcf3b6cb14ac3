// Plans of cuDNN's graph interface, made for a GPU or, where there is none, for the description of one.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_GRAPH_PLAN_H_
#define DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_GRAPH_PLAN_H_

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/device/cuda/library/cudnn.h"
#include "src/framework/op/arithmetic.h"
#include "src/framework/values/dtype.h"

namespace dfrun::cuda {

// The target that plans are made for. The library's objects live as long as the plans.
class CudnnTarget {
 public:
  // The GPU of a handle.
  static CudnnTarget OfGpu(const Cudnn& cudnn, cudnnHandle_t handle) { return {cudnn, handle, nullptr}; }
  // A GPU that is not here, as cuDNN describes one in JSON. Unimplemented before cuDNN 9.8.
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
  std::shared_ptr<CudnnDescriptor> description_;  // null: the GPU is the handle's
};

// The library's name of an element type; Unimplemented for types that it does not compute with.
Result<cudnnDataType_t> CudnnTypeOf(DType dtype);

// The strides of dense memory, with the second dimension innermost (channels last) or in its own position.
std::vector<int64_t> StridesOf(const std::vector<int64_t>& dims, bool channels_first);

struct CudnnTensor {
  int64_t id;  // its name within a plan
  std::vector<int64_t> dims;
  std::vector<int64_t> strides;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  enum class Kind {
    kMemory,
    kInner,   // never lies in memory
    kNumber,  // one element in the host's memory, which is read when the plan is run
  } kind = Kind::kMemory;
};

// y = mode(x, b, t), of which there are as many as the mode asks for.
struct CudnnPointwise {
  cudnnPointwiseMode_t mode;
  cudnnBackendDescriptor_t x;
  cudnnBackendDescriptor_t b = nullptr;
  cudnnBackendDescriptor_t t = nullptr;
  cudnnBackendDescriptor_t y;
  cudnnDataType_t computes_in = CUDNN_DATA_FLOAT;
  int64_t axis = -1;  // axis of a mode that has one
};

// The operations of a plan under construction.
class CudnnGraph {
 public:
  // `what`: "convolve", for errors; a string constant.
  CudnnGraph(const CudnnTarget& target, std::string_view what) : target_(target), what_(what) {}

  const CudnnTarget& target() const { return target_; }
  std::string_view what() const { return what_; }
  CudnnDescriptor Describe(cudnnBackendDescriptorType_t type) const { return {target_.cudnn(), type, what_}; }

  Result<cudnnBackendDescriptor_t> AddTensor(const CudnnTensor& tensor);
  // Finalizes a descriptor that operations refer to, and keeps it.
  Result<cudnnBackendDescriptor_t> Keep(CudnnDescriptor made);
  Status AddOperation(CudnnDescriptor operation);
  Status AddPointwise(const CudnnPointwise& pointwise);

  // The graph, after which the parts are the caller's to keep.
  Result<CudnnDescriptor> Finish();
  std::vector<CudnnDescriptor> TakeParts() { return std::move(kept_); }

 private:
  const CudnnTarget& target_;
  const std::string_view what_;
  std::vector<CudnnDescriptor> kept_;
  std::vector<cudnnBackendDescriptor_t> operations_;
};

// The engines that may be taken: with `deterministic`, those whose results have the same bits each time; for float32
// without tf32, those that compute it in 32 bits.
struct CudnnRules {
  DType dtype = DType::kFloat;
  Arithmetic arithmetic = {};
};

// A plan that the library has chosen.
// Thread safety: const methods from any thread.
class CudnnPlan {
 public:
  // Unimplemented where the library has no way that may be taken.
  static Result<std::unique_ptr<const CudnnPlan>> Create(CudnnGraph graph, const CudnnRules& rules);

  cudnnBackendDescriptor_t get() const { return plan_->get(); }
  int64_t workspace_bytes() const { return workspace_bytes_; }
  // "engine 46, knobs 1=0 5=2, 1024 bytes of workspace": knobs by the library's numbers.
  Result<std::string> Describe() const;

 private:
  explicit CudnnPlan(const Cudnn& cudnn) : cudnn_(cudnn) {}
  // Makes the plan of this way.
  Status Take(const CudnnGraph& graph, const CudnnDescriptor& way);
  Result<std::string> Knobs(const CudnnDescriptor& way) const;

  const Cudnn& cudnn_;
  std::vector<CudnnDescriptor> kept_;  // descriptors that the plan refers to; the last is the engine's configuration
  std::unique_ptr<CudnnDescriptor> plan_;
  int64_t workspace_bytes_ = 0;
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_GRAPH_PLAN_H_
