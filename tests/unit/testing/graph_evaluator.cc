#include "tests/unit/testing/graph_evaluator.h"

#include <utility>

namespace dfrun::testing {

GraphEvaluator::GraphEvaluator(Values feeds) : values_(std::move(feeds)) {}
GraphEvaluator::~GraphEvaluator() = default;

Result<int> GraphEvaluator::Run(const Graph& graph) {
  DF_ASSIGN(const std::vector<NodeId> order, graph.TopologicalOrder());
  int left = 0;
  for (NodeId id : order) {
    const Node& node = graph.node(id);
    if (values_.count(node.name) != 0) continue;
    if (!IsReady(graph, node)) {
      ++left;
      continue;
    }
    Result<std::vector<Tensor>> outputs = RunNode(graph, node);
    if (!outputs.ok()) return outputs.status().Annotate(graph.Describe(id));
    values_[node.name] = *std::move(outputs);
  }
  return left;
}

Result<std::vector<Tensor>> GraphEvaluator::Fetch(const Graph& graph, const std::vector<Output>& fetches) {
  DF_TRY(Run(graph).status());
  std::vector<Tensor> values;
  for (Output fetch : fetches) {
    auto it = values_.find(graph.node(fetch.node).name);
    if (it == values_.end()) return Internal("'", OutputName(graph, fetch), "' has no value");
    values.push_back(it->second[static_cast<size_t>(fetch.port)]);
  }
  return values;
}

bool GraphEvaluator::IsReady(const Graph& graph, const Node& node) const {
  for (Output input : node.inputs) {
    if (values_.count(graph.node(input.node).name) == 0) return false;
  }
  for (NodeId id : node.control_inputs) {
    if (values_.count(graph.node(id).name) == 0) return false;
  }
  return node.op->name != "_Recv" || channels_.count(*node.attrs.Get<int64_t>("channel")) != 0;
}

Result<std::vector<Tensor>> GraphEvaluator::RunNode(const Graph& graph, const Node& node) {
  std::vector<Tensor> inputs;
  for (Output input : node.inputs) {
    inputs.push_back(values_.at(graph.node(input.node).name)[static_cast<size_t>(input.port)]);
  }
  if (node.op->name == "_Retval" || node.op->name == "NoOp") return inputs;
  if (node.op->name == "_Send") {
    if (!channels_.emplace(*node.attrs.Get<int64_t>("channel"), inputs[0]).second) {
      return Internal("a channel is used twice");
    }
    return std::vector<Tensor>();
  }
  if (node.op->name == "_Recv") return std::vector<Tensor>{channels_.at(*node.attrs.Get<int64_t>("channel"))};
  const NodeInfo info{node.name, node.op, node.input_types, node.output_types};
  const KernelRegistry& kernels = KernelRegistry::Builtin();
  Device& device = kernels.Find(node.op->name, device_->type(), node.attrs).ok() ? *device_ : host_;
  return RunKernelOnce(info, node.attrs, inputs, device, pool_, kernels);
}

}  // namespace dfrun::testing
