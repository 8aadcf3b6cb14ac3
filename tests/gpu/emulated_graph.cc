// Graphs of the emulated runtime: a launch does the nodes in an order that their edges allow and that
// DFRUN_EMULATED_SEED shuffles, another one each time, so that where an edge is missing values are wrong.
//
// A fault can be planted: DFRUN_EMULATED_MISSING_EDGE=n leaves out the n-th edge (from 0) of each graph that is made
// executable.
#include "tests/gpu/emulated_graph.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <unordered_map>
#include <utility>
#include <vector>

#include "kernels/device/cuda/block.h"

using dfrun::Mutex;
using dfrun::MutexLock;

// The runtime's names of its types.
struct CUgraphNode_st {
  dfrun::cuda::emulated::Work work;
  std::vector<CUgraphNode_st*> before;
  std::vector<bool> is_early;  // by `before`: this may begin before that is done
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

struct Function {
  RunBlocks run;
  std::vector<size_t> arg_bytes;
};

struct Functions {
  Mutex mu;
  std::unordered_map<const void*, Function> all GUARDED_BY(mu);
};
Functions& TheFunctions() {
  static Functions& functions = *new Functions();
  return functions;
}

// What this thread captures.
struct Capture {
  cudaStream_t stream = nullptr;
  cudaGraph_t graph = nullptr;
};
thread_local Capture capture;

int64_t Setting(const char* name, int64_t fallback) {
  const char* const text = std::getenv(name);
  return text == nullptr ? fallback : std::atoll(text);
}

// All that may be next stand in a list; one is taken at random.
void RunInSomeOrder(const std::vector<Node>& nodes) {
  static std::minstd_rand& random = *new std::minstd_rand(1);
  static int64_t seed = 1;
  if (const int64_t wanted = Setting("DFRUN_EMULATED_SEED", 1); wanted != seed) {
    random.seed(static_cast<unsigned>(wanted));
    seed = wanted;
  }
  std::vector<size_t> waits_for(nodes.size());
  std::vector<bool> is_done(nodes.size(), false);
  std::vector<std::vector<size_t>> readers(nodes.size());
  std::vector<std::vector<size_t>> early_readers(nodes.size());
  std::vector<size_t> ready;
  for (size_t i = 0; i < nodes.size(); ++i) {
    waits_for[i] = nodes[i].before.size();
    for (size_t k = 0; k < nodes[i].before.size(); ++k) {
      readers[nodes[i].before[k]].push_back(i);
      if (nodes[i].is_early[k]) early_readers[nodes[i].before[k]].push_back(i);
    }
    if (waits_for[i] == 0) ready.push_back(i);
  }
  while (!ready.empty()) {
    std::swap(ready[random() % ready.size()], ready.back());
    const size_t node = ready.back();
    ready.pop_back();
    if (is_done[node]) continue;
    // Of those that may begin early, one that waits for this alone does so half of the time.
    const auto waits_for_node = [&](size_t reader) { return waits_for[reader] == 1 && random() % 2 == 0; };
    const auto early = std::find_if(early_readers[node].begin(), early_readers[node].end(), waits_for_node);
    if (early == early_readers[node].end()) {
      nodes[node].work();
    } else {
      BeginEarly(nodes[*early].work, nodes[node].work);
    }
    const auto end = [&](size_t ended) {
      is_done[ended] = true;
      for (const size_t reader : readers[ended]) {
        if (--waits_for[reader] == 0) ready.push_back(reader);
      }
    };
    end(node);
    if (early != early_readers[node].end()) end(*early);
  }
}

std::vector<Node> CopyOf(const CUgraph_st& graph) {
  std::unordered_map<const CUgraphNode_st*, size_t> numbers;
  std::vector<Node> nodes;
  for (const auto& node : graph.nodes) {
    numbers[node.get()] = nodes.size();
    nodes.push_back({node->work, {}, node->is_early});
    for (const CUgraphNode_st* before : node->before) nodes.back().before.push_back(numbers.at(before));
  }
  return nodes;
}

void LeaveEdgeOut(std::vector<Node>& nodes, int64_t number) {
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

void Declare(const void* kernel, RunBlocks run, std::vector<size_t> arg_bytes) {
  Functions& functions = TheFunctions();
  MutexLock lock(functions.mu);
  functions.all.try_emplace(kernel, Function{run, std::move(arg_bytes)});
}

Work KeepCall(const void* kernel, int64_t blocks, void** args) {
  struct alignas(16) Word {
    char bytes[16];
  };
  Function function;
  {
    Functions& functions = TheFunctions();
    MutexLock lock(functions.mu);
    function = functions.all.at(kernel);
  }
  std::vector<std::vector<Word>> values;
  for (size_t i = 0; i < function.arg_bytes.size(); ++i) {
    values.emplace_back((function.arg_bytes[i] + sizeof(Word) - 1) / sizeof(Word));
    std::memcpy(values.back().data(), args[i], function.arg_bytes[i]);
  }
  return [kernel, blocks, run = function.run, values = std::move(values)]() mutable {
    std::vector<void*> addresses;
    for (std::vector<Word>& value : values) addresses.push_back(value.data());
    run(kernel, blocks, addresses.data());
  };
}

cudaError_t Enqueue(cudaStream_t stream, Work work) {
  if (capture.graph != nullptr && capture.stream == stream) {
    const auto& nodes = capture.graph->nodes;
    cudaGraphNode_t last = nodes.empty() ? nullptr : nodes.back().get();
    cudaGraphNode_t node = nullptr;
    return AddNode(capture.graph, &last, last == nullptr ? 0 : 1, std::move(work), &node);
  }
  DoInStream(stream, std::move(work));
  return cudaSuccess;
}

}  // namespace dfrun::cuda::emulated

namespace emulated = dfrun::cuda::emulated;

struct CUgraphExec_st {
  std::vector<emulated::Node> nodes;
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
  return emulated::AddNode(
      graph, before, count, [=] { std::memmove(to, from, bytes); }, node);
}
cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                   size_t count, const cudaMemsetParams* params) {
  const cudaMemsetParams p = *params;
  if (p.elementSize != 1 || p.height != 1) return cudaErrorNotSupported;
  return emulated::AddNode(
      graph, before, count, [p] { std::memset(p.dst, static_cast<int>(p.value), p.width); }, node);
}
cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* before,
                                       size_t count, cudaGraph_t child) {
  return emulated::AddNode(
      graph, before, count, [nodes = emulated::CopyOf(*child)] { emulated::RunInSomeOrder(nodes); }, node);
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
  emulated::LeaveEdgeOut((*made)->nodes, emulated::Setting("DFRUN_EMULATED_MISSING_EDGE", -1));
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
  emulated::DoInStream(stream, [graph] { emulated::RunInSomeOrder(graph->nodes); });
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
