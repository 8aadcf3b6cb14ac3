// A launch does a graph's nodes one by one, between steps of other streams, in a random order that their edges allow,
// another one each time, so that where an edge is missing values are wrong.
//
// A fault can be planted: DFRUN_EMULATED_MISSING_EDGE=n leaves out the n-th edge (from 0) of each graph that is made
// executable.
#include "tests/gpu/emulated_graph.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "tests/gpu/emulated_call.h"
#include "tests/gpu/emulated_early.h"
#include "tests/gpu/emulated_settings.h"

// The runtime's names of its types.
struct CUgraphNode_st {
  dfrun::cuda::emulated::Work work;
  std::vector<CUgraphNode_st*> before;
  std::vector<bool> is_early;  // by index into `before`: this node may begin before that one is done
};
struct CUgraph_st {
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes;
};

namespace dfrun::cuda::emulated {
namespace {

struct Node {
  Work work;
  std::vector<size_t> before;
  std::vector<bool> is_early;
};
using Nodes = std::vector<Node>;

// The state of a capture by this thread.
struct Capture {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
};
thread_local Capture capture;

// Runs a graph. All nodes that may be next are in a list, from which one is taken at random.
class GraphRun final : public Parts {
 public:
  explicit GraphRun(std::shared_ptr<const Nodes> nodes)
      : nodes_(std::move(nodes)),
        waits_for_(nodes_->size()),
        is_done_(nodes_->size()),
        readers_(nodes_->size()),
        early_readers_(nodes_->size()) {
    for (size_t i = 0; i < nodes_->size(); ++i) {
      const std::vector<size_t>& all_before = (*nodes_)[i].before;
      waits_for_[i] = all_before.size();
      for (size_t k = 0; k < all_before.size(); ++k) {
        readers_[all_before[k]].push_back(i);
        if ((*nodes_)[i].is_early[k]) early_readers_[all_before[k]].push_back(i);
      }
      if (all_before.empty()) ready_.push_back(i);
    }
  }

  bool DoOne() override {
    if (ready_.empty()) return true;
    std::swap(ready_[Random() % ready_.size()], ready_.back());
    const size_t node = ready_.back();
    ready_.pop_back();
    if (is_done_[node]) return ready_.empty();
    // Half of the time, a reader that may begin early and that waits for this node alone does so.
    const std::vector<size_t>& all_early = early_readers_[node];
    const auto begins = [&](size_t reader) { return waits_for_[reader] == 1 && Random() % 2 == 0; };
    const auto early = std::find_if(all_early.begin(), all_early.end(), begins);
    if (early == all_early.end()) {
      (*nodes_)[node].work();
    } else {
      BeginEarly((*nodes_)[*early].work, (*nodes_)[node].work);
    }
    End(node);
    if (early != all_early.end()) End(*early);
    return ready_.empty();
  }

 private:
  void End(size_t node) {
    is_done_[node] = true;
    for (const size_t reader : readers_[node]) {
      if (--waits_for_[reader] == 0) ready_.push_back(reader);
    }
  }

  const std::shared_ptr<const Nodes> nodes_;
  std::vector<size_t> waits_for_;
  std::vector<bool> is_done_;
  std::vector<std::vector<size_t>> readers_;
  std::vector<std::vector<size_t>> early_readers_;
  std::vector<size_t> ready_;
};

std::shared_ptr<Nodes> CopyOf(const CUgraph_st& graph) {
  std::unordered_map<const CUgraphNode_st*, size_t> numbers;
  auto nodes = std::make_shared<Nodes>();
  for (const auto& node : graph.nodes) {
    numbers[node.get()] = nodes->size();
    nodes->push_back({node->work, {}, node->is_early});
    for (const CUgraphNode_st* before : node->before) nodes->back().before.push_back(numbers.at(before));
  }
  return nodes;
}

void LeaveEdgeOut(Nodes& nodes, int64_t number) {
  for (Node& node : nodes) {
    const auto count = static_cast<int64_t>(node.before.size());
    if (number >= 0 && number < count) {
      node.before.erase(node.before.begin() + number);
      node.is_early.erase(node.is_early.begin() + number);
    }
    number -= count;
  }
}

cudaError_t AddNode(cudaGraph_t graph, const cudaGraphNode_t* before, size_t count, Work work, cudaGraphNode_t* node) {
  graph->nodes.push_back(std::make_unique<CUgraphNode_st>());
  *node = graph->nodes.back().get();
  (*node)->work = std::move(work);
  (*node)->before.assign(before, before + count);
  (*node)->is_early.assign(count, false);
  return cudaSuccess;
}

}  // namespace

bool KeepIfCaptured(cudaStream_t stream, Work& work) {
  if (capture.graph == nullptr || capture.stream != stream) return false;
  const auto& nodes = capture.graph->nodes;
  cudaGraphNode_t last = nodes.empty() ? nullptr : nodes.back().get();
  cudaGraphNode_t node = nullptr;
  AddNode(capture.graph, &last, last == nullptr ? 0 : 1, std::move(work), &node);
  return true;
}

}  // namespace dfrun::cuda::emulated

namespace emulated = dfrun::cuda::emulated;

struct CUgraphExec_st {
  std::shared_ptr<emulated::Nodes> nodes;
};

// NOLINTBEGIN(readability-identifier-naming): names of the library
extern "C" {

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned) {
  *graph = new CUgraph_st();
  return cudaSuccess;
}
cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                   size_t count, const cudaKernelNodeParams* params) {
  return emulated::AddNode(graph, before, count,
                           emulated::KeepCall(params->func, params->gridDim.x, params->kernelParams), node);
}
cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                     size_t count, void* to, const void* from, size_t bytes, cudaMemcpyKind) {
  return emulated::AddNode(graph, before, count, emulated::KeepCopy(to, from, bytes), node);
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                   size_t count, const cudaMemsetParams* params) {
  if (params->elementSize != 1 || params->height != 1) return cudaErrorNotSupported;
  return emulated::AddNode(graph, before, count,
                           emulated::KeepFill(params->dst, static_cast<int>(params->value), params->width), node);
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                       size_t count, cudaGraph_t child) {
  const auto run = [nodes = emulated::CopyOf(*child)] {
    emulated::GraphRun all(nodes);
    while (!all.DoOne()) continue;
  };
  return emulated::AddNode(graph, before, count, run, node);
}
cudaError_t cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                     const cudaGraphEdgeData* edges, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    const bool is_early = edges[i].type == cudaGraphDependencyTypeProgrammatic;
    if (is_early && !emulated::TakesEarlyEdges()) return cudaErrorNotSupported;
    to[i]->before.push_back(from[i]);
    to[i]->is_early.push_back(is_early);
  }
  return cudaSuccess;
}
cudaError_t cudaGraphInstantiate(cudaGraphExec_t* made, cudaGraph_t graph, unsigned long long) {
  *made = new CUgraphExec_st{emulated::CopyOf(*graph)};
  emulated::LeaveEdgeOut(*(*made)->nodes, emulated::Setting("DFRUN_EMULATED_MISSING_EDGE", -1));
  return cudaSuccess;
}
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t graph) {
  delete graph;
  return cudaSuccess;
}
cudaError_t cudaGraphUpload(cudaGraphExec_t, cudaStream_t) {
  return cudaSuccess;
}
cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
  emulated::EnqueueParts(stream, std::make_unique<emulated::GraphRun>(graph->nodes));
  return cudaSuccess;
}
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode) {
  emulated::capture = {stream, new CUgraph_st()};
  return cudaSuccess;
}
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t* graph) {
  *graph = std::exchange(emulated::capture, {}).graph;
  return cudaSuccess;
}

}  // extern "C"
// NOLINTEND(readability-identifier-naming)
