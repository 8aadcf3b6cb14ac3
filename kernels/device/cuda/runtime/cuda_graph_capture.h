// CudaGraphCapture: records the work of a subgraph (src/framework/device/graph_capture.h) as one CUDA graph. GPU
// functions, copies and fills become nodes; a library's call becomes the nodes that the library enqueues, captured on
// this thread.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_CUDA_GRAPH_CAPTURE_H_
#define DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_CUDA_GRAPH_CAPTURE_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kernels/device/cuda/memory/memory_hazards.h"
#include "kernels/device/cuda/memory/subgraph_arena.h"
#include "kernels/device/cuda/runtime/cuda_device.h"
#include "kernels/device/cuda/runtime/graph_edges.h"
#include "kernels/device/cuda/runtime/work_recorder.h"

namespace dfrun::cuda {

// A recorder. The pieces of a node's work wait for one another in the order in which they were added. If the GPU can,
// one of dfrun's functions that waits for another begins before that has ended (a programmatic edge), and itself waits
// for its end. All functions do that, so the earlier pieces have ended too.
// Thread safety: one thread, which `of` outlives.
class CudaGraphCapture final : public GraphCapture, public WorkRecorder {
 public:
  explicit CudaGraphCapture(CudaDevice& of);
  ~CudaGraphCapture() override;

  Device& device() override { return device_; }
  Status BeginRecording() override;
  void BeginNode(std::string_view name, const int32_t* gate) override;
  void EndNode(std::span<const int> after, std::span<const MemoryRange> reads,
               std::span<const MemoryRange> writes) override;
  Result<std::unique_ptr<CapturedWork>> Finish(bool is_last) override;

  const int32_t* gate() const override { return gate_; }
  void AddFunction(const void* entry, FunctionGrid grid, std::span<const FunctionArg> args) override;
  void AddCopy(const void* from, void* to, size_t bytes) override;
  void AddFill(void* to, int value, size_t bytes) override;
  Status AddLibraryCall(size_t workspace_bytes, FunctionRef<Status(cudaStream_t)> call) override;
  Status Refuse(std::string_view why) override;

 private:
  // Adds a piece of work to a graph, after others.
  using AddNode =
      std::function<cudaError_t(cudaGraph_t graph, const std::vector<cudaGraphNode_t>& after, cudaGraphNode_t* node)>;
  struct Piece {
    AddNode add;
    bool is_function;  // one of dfrun's functions, which waits for the pieces before it (block.h)
  };
  bool is_learning() const { return !arena_.has_block(); }
  void Add(AddNode add, bool is_function = false);
  void AddSignal();
  Result<cudaGraph_t> Capture(FunctionRef<Status(cudaStream_t)> call);
  bool IsEarly(int before, size_t piece) const;
  int64_t CountEarlyEdges() const;
  cudaError_t AddPieces(cudaGraph_t graph) const;
  Result<cudaGraphExec_t> MakeGraph() const;

  Gpu& gpu_;
  SubgraphArena arena_;
  CudaDevice device_;  // that stands for the real one
  std::string node_;   // name of the node whose kernel is called
  const int32_t* gate_ = nullptr;
  Status error_flag_;
  cudaStream_t capturing_ = nullptr;
  std::vector<cudaGraph_t> captured_;
  bool may_be_early_;  // a function behind another
  std::vector<Piece> pieces_;
  WorkEdges before_;                     // by piece
  int first_ = 0;                        // piece of the node
  std::vector<std::vector<int>> tails_;  // by node: the pieces that its readers wait for
  MemoryHazards hazards_;
  CaptureFacts facts_;
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_RUNTIME_CUDA_GRAPH_CAPTURE_H_
