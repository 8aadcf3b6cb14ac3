#include "kernels/device/cuda/runtime/cuda_graph_capture.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "kernels/device/cuda/runtime/copy_blocks.h"
#include "kernels/device/cuda/runtime/cuda_status.h"

namespace dfrun::cuda {
namespace {

class RecordedGraph final : public CapturedWork {
 public:
  // `graph`: null where there is nothing to do.
  RecordedGraph(Gpu& gpu, cudaGraphExec_t graph, bool tells, const CaptureFacts& facts)
      : gpu_(gpu), graph_(graph), tells_(tells), facts_(facts) {}
  ~RecordedGraph() override {
    if (graph_ == nullptr) return;
    gpu_.MakeCurrent();
    cudaStreamSynchronize(gpu_.stream());  // the graph may be running
    cudaGraphExecDestroy(graph_);
  }

  Status Launch() override {
    if (graph_ == nullptr) return Status();
    gpu_.MakeCurrent();
    gpu_.CountLaunch();
    const auto launch = [&](cudaStream_t stream) { return cudaGraphLaunch(graph_, stream); };
    const auto launch_telling = [&](cudaStream_t stream, const CounterWords&) { return launch(stream); };
    return CudaStatus(tells_ ? gpu_.EnqueueSignal(launch_telling) : gpu_.Enqueue(launch), "launch what was recorded");
  }
  const CaptureFacts& facts() const override { return facts_; }

 private:
  Gpu& gpu_;
  const cudaGraphExec_t graph_;
  const bool tells_;
  const CaptureFacts facts_;
};

// Arguments of a function, kept.
class KeptArgs {
 public:
  explicit KeptArgs(std::span<const FunctionArg> args) {
    for (const FunctionArg& arg : args) {
      places_.push_back(words_.size());
      words_.resize(words_.size() + (arg.bytes + sizeof(Word) - 1) / sizeof(Word));
      std::memcpy(words_.data() + places_.back(), arg.value, arg.bytes);
    }
  }
  std::vector<void*> Addresses() {
    std::vector<void*> addresses;
    for (const size_t place : places_) addresses.push_back(words_.data() + place);
    return addresses;
  }

 private:
  struct alignas(16) Word {
    char bytes[16];
  };
  std::vector<Word> words_;
  std::vector<size_t> places_;
};

}  // namespace

CudaGraphCapture::CudaGraphCapture(CudaDevice& of)
    : gpu_(of.gpu()), arena_(of.allocator()), device_(of, arena_, *this), may_be_early_(gpu_.has_early_launches()) {}

CudaGraphCapture::~CudaGraphCapture() {
  for (cudaGraph_t graph : captured_) cudaGraphDestroy(graph);
  if (capturing_ != nullptr) cudaStreamDestroy(capturing_);
}

Status CudaGraphCapture::BeginRecording() {
  DF_TRY(error_flag_);
  tails_.clear();
  if (arena_.TakeBlock()) return Status();
  return Error(Code::kResourceExhausted, "no memory for the ", arena_.block_bytes(), " bytes of a recorded unit");
}

void CudaGraphCapture::BeginNode(std::string_view name, const int32_t* gate) {
  node_ = name;
  gate_ = gate;
  first_ = static_cast<int>(pieces_.size());
  arena_.TakeGiven();
}

void CudaGraphCapture::EndNode(std::span<const int> after, std::span<const MemoryRange> reads,
                               std::span<const MemoryRange> writes) {
  std::vector<int> before;
  for (const int node : after) before.insert(before.end(), tails_[node].begin(), tails_[node].end());
  const int last = static_cast<int>(pieces_.size()) - 1;
  if (last < first_) {
    std::sort(before.begin(), before.end());
    before.erase(std::unique(before.begin(), before.end()), before.end());
    tails_.push_back(std::move(before));
    return;
  }
  const std::vector<MemoryRange> given = arena_.TakeGiven();
  for (const MemoryRange& range : reads) hazards_.Read(range, last, before);
  for (const MemoryRange& range : given) hazards_.Write(range, last, before);
  for (const MemoryRange& range : writes) hazards_.Write(range, last, before);
  std::erase(before, last);
  before_[first_] = std::move(before);
  tails_.push_back({last});
}

void CudaGraphCapture::Add(AddNode add, bool is_function) {
  if (is_learning()) return;
  before_.emplace_back();
  if (static_cast<int>(pieces_.size()) > first_) before_.back().push_back(static_cast<int>(pieces_.size()) - 1);
  pieces_.push_back({std::move(add), is_function});
}

void CudaGraphCapture::AddFunction(const void* entry, FunctionGrid grid, std::span<const FunctionArg> args) {
  auto add = [entry, grid, kept = KeptArgs(args)](cudaGraph_t graph, const std::vector<cudaGraphNode_t>& after,
                                                  cudaGraphNode_t* node) mutable {
    std::vector<void*> values = kept.Addresses();
    cudaKernelNodeParams params{};
    params.func = const_cast<void*>(entry);
    params.gridDim = dim3(static_cast<unsigned>(grid.blocks));
    params.blockDim = dim3(static_cast<unsigned>(grid.threads));
    params.kernelParams = values.data();
    return cudaGraphAddKernelNode(node, graph, after.data(), after.size(), &params);
  };
  Add(std::move(add), /*is_function=*/true);
}

// Adds the piece that tells the host. It waits for all pieces that no other piece waits for.
void CudaGraphCapture::AddSignal() {
  const size_t count = pieces_.size();
  std::vector<bool> is_waited_for(count, false);
  for (const std::vector<int>& before : before_) {
    for (const int piece : before) is_waited_for[static_cast<size_t>(piece)] = true;
  }
  first_ = static_cast<int>(count);
  const CounterWords& words = gpu_.counter().words();
  const FunctionArg args[] = {{&words.in_gpu, sizeof(words.in_gpu)}, {&words.in_host, sizeof(words.in_host)}};
  AddFunction(SignalEntry(), {1, kSignalThreads}, args);
  for (size_t piece = 0; piece < count; ++piece) {
    if (!is_waited_for[piece]) before_.back().push_back(static_cast<int>(piece));
  }
}

void CudaGraphCapture::AddCopy(const void* from, void* to, size_t bytes) {
  Add([=, gate = gate_](cudaGraph_t graph, const std::vector<cudaGraphNode_t>& after, cudaGraphNode_t* node) {
    if (gate != nullptr) return AddGatedCopy(graph, after, {from, to, bytes}, gate, node);
    return cudaGraphAddMemcpyNode1D(node, graph, after.data(), after.size(), to, from, bytes, cudaMemcpyDeviceToDevice);
  });
}

void CudaGraphCapture::AddFill(void* to, int value, size_t bytes) {
  Add([=](cudaGraph_t graph, const std::vector<cudaGraphNode_t>& after, cudaGraphNode_t* node) {
    cudaMemsetParams params{};
    params.dst = to;
    params.value = static_cast<unsigned>(value);
    params.elementSize = 1;
    params.width = bytes;
    params.height = 1;
    return cudaGraphAddMemsetNode(node, graph, after.data(), after.size(), &params);
  });
}

Status CudaGraphCapture::AddLibraryCall(size_t workspace_bytes, FunctionRef<Status(cudaStream_t)> call) {
  if (is_learning()) return Status();
  DF_ASSIGN(const cudaGraph_t captured, Capture(call));
  captured_.push_back(captured);
  ++facts_.library_calls;
  facts_.workspace_bytes = std::max(facts_.workspace_bytes, static_cast<int64_t>(workspace_bytes));
  Add([captured](cudaGraph_t graph, const std::vector<cudaGraphNode_t>& after, cudaGraphNode_t* node) {
    return cudaGraphAddChildGraphNode(node, graph, after.data(), after.size(), captured);
  });
  return Status();
}

// Calls of other threads meanwhile do not disturb it, nor does it them.
Result<cudaGraph_t> CudaGraphCapture::Capture(FunctionRef<Status(cudaStream_t)> call) {
  gpu_.MakeCurrent();
  if (capturing_ == nullptr) {
    DF_TRY(CudaStatus(cudaStreamCreateWithFlags(&capturing_, cudaStreamNonBlocking), "make a stream"));
  }
  DF_TRY(CudaStatus(cudaStreamBeginCapture(capturing_, cudaStreamCaptureModeThreadLocal), "capture a library's call"));
  const Status called = call(capturing_);
  cudaGraph_t captured = nullptr;
  const Status ended = CudaStatus(cudaStreamEndCapture(capturing_, &captured), "capture a library's call");
  const Status& status = called.ok() ? ended : called;
  if (status.ok()) return captured;
  if (captured != nullptr) cudaGraphDestroy(captured);
  return Refuse(StrCat("its library cannot be captured: ", status.message()));
}

Status CudaGraphCapture::Refuse(std::string_view why) {
  Status error_flag = Unimplemented("node '", node_, "': ", why);
  if (error_flag_.ok()) error_flag_ = error_flag;
  return error_flag;
}

Result<std::unique_ptr<CapturedWork>> CudaGraphCapture::Finish(bool is_last) {
  DF_TRY(error_flag_);
  const bool tells = is_last && !pieces_.empty();
  if (tells) AddSignal();
  facts_.nodes = static_cast<int64_t>(pieces_.size());
  facts_.arena_bytes = static_cast<int64_t>(arena_.block_bytes());
  facts_.edges_found = CountEdges(before_);
  ReduceEdges(before_);
  facts_.edges = CountEdges(before_);
  facts_.early_edges = CountEarlyEdges();
  cudaGraphExec_t graph = nullptr;
  if (!pieces_.empty()) {
    Result<cudaGraphExec_t> made = MakeGraph();
    if (!made.ok() && facts_.early_edges > 0) {  // a driver may refuse such edges
      may_be_early_ = false;
      facts_.early_edges = 0;
      made = MakeGraph();
    }
    DF_ASSIGN(graph, std::move(made));
  }
  gpu_.CountRecording();
  return std::unique_ptr<CapturedWork>(std::make_unique<RecordedGraph>(gpu_, graph, tells, facts_));
}

bool CudaGraphCapture::IsEarly(int before, size_t piece) const {
  return may_be_early_ && pieces_[static_cast<size_t>(before)].is_function && pieces_[piece].is_function;
}

int64_t CudaGraphCapture::CountEarlyEdges() const {
  int64_t count = 0;
  for (size_t i = 0; i < pieces_.size(); ++i) {
    count += std::count_if(before_[i].begin(), before_[i].end(), [&](int before) { return IsEarly(before, i); });
  }
  return count;
}

cudaError_t CudaGraphCapture::AddPieces(cudaGraph_t graph) const {
  std::vector<cudaGraphNode_t> nodes(pieces_.size());
  for (size_t i = 0; i < pieces_.size(); ++i) {
    std::vector<cudaGraphNode_t> after;
    std::vector<cudaGraphNode_t> early;
    for (const int before : before_[i]) (IsEarly(before, i) ? early : after).push_back(nodes[before]);
    if (const cudaError_t error = pieces_[i].add(graph, after, &nodes[i]); error != cudaSuccess) return error;
    if (early.empty()) continue;
    const std::vector<cudaGraphNode_t> to(early.size(), nodes[i]);
    const std::vector<cudaGraphEdgeData> edges(early.size(), {.from_port = cudaGraphKernelNodePortProgrammatic,
                                                              .to_port = 0,
                                                              .type = cudaGraphDependencyTypeProgrammatic,
                                                              .reserved = {}});
    const cudaError_t error = cudaGraphAddDependencies(graph, early.data(), to.data(), edges.data(), early.size());
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}

Result<cudaGraphExec_t> CudaGraphCapture::MakeGraph() const {
  gpu_.MakeCurrent();
  cudaGraph_t graph = nullptr;
  DF_TRY(CudaStatus(cudaGraphCreate(&graph, 0), "make a graph"));
  cudaGraphExec_t made = nullptr;
  cudaError_t error = AddPieces(graph);
  if (error == cudaSuccess) error = cudaGraphInstantiate(&made, graph, 0);
  cudaGraphDestroy(graph);
  DF_TRY(CudaStatus(error, "make a graph of what was recorded"));
  DF_TRY(CudaStatus(cudaGraphUpload(made, gpu_.stream()), "bring a graph to the GPU"));
  return made;
}

}  // namespace dfrun::cuda
