#include "src/passes/fuse_relu_gradients.h"

#include <algorithm>
#include <unordered_map>

#include "src/base/sort_unique.h"
#include "src/graph/control_flow.h"
#include "src/passes/fusion.h"
#include "src/passes/has_refs.h"
#include "src/passes/node_order.h"

namespace dfrun {
namespace {

// What becomes one node.
struct Chain {
  NodeId product = -1;
  NodeId identity = -1;  // or none
  NodeId relu = -1;
};

bool IsProduct(const FusionView& view, const Node& node) {
  if (node.op->name != "MatMul" || !view.HasOneReader(node)) return false;
  return node.output_types[0].dtype == DType::kFloat || node.output_types[0].dtype == DType::kDouble;
}

std::optional<Chain> ChainOf(const FusionView& view, const Node& relu) {
  if (relu.op->name != "ReluGrad" || view.graph().is_ref(relu.inputs[1])) return {};
  Chain chain{.relu = relu.id};
  const Node* node = &view.node(relu.inputs[0].node);
  if (node->op->name == "Identity" && node->inputs[0].valid() && view.HasOneReader(*node) && !view.IsAwaited(*node) &&
      view.OnOneDevice(*node, relu)) {
    chain.identity = node->id;
    node = &view.node(node->inputs[0].node);
  }
  chain.product = node->id;
  if (!IsProduct(view, *node) || !view.OnOneDevice(*node, relu)) return {};
  return chain;
}

// Whether to wait for its inputs is to wait for a node. One that others may become one with is waited for as it is.
bool HasOnlyValues(const Node& node) {
  return !node.op->is_stateful && !HasRefs(node) && node.op->name != "NoOp" && node.op->name != "ReluGrad";
}

bool Has(const std::vector<NodeId>& ids, NodeId id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

// What the fused node has to wait for, beside the product's operands.
std::vector<NodeId> SourcesOf(const Graph& graph, const Chain& chain) {
  std::vector<NodeId> sources = graph.node(chain.relu).control_inputs;
  if (chain.identity < 0) return sources;
  const auto add = [&](NodeId id) {
    const Node& node = graph.node(id);
    if (!HasOnlyValues(node)) return sources.push_back(id);
    for (Output input : node.inputs) sources.push_back(input.node);
    sources.insert(sources.end(), node.control_inputs.begin(), node.control_inputs.end());
  };
  for (NodeId id : graph.node(chain.identity).control_inputs) {
    const Node& node = graph.node(id);
    if (node.op->name != "NoOp" || !Has(node.control_inputs, chain.product)) {
      sources.push_back(id);
      continue;
    }
    for (NodeId other : node.control_inputs) {
      if (other != chain.product) add(other);
    }
  }
  SortUnique(sources);
  return sources;
}

// Whether the nodes of chain i, the products of which `order` is of, may be one: then no way leads from the fused node
// to what it waits for. Of several chains at once, since what is after no product but those that chain i's is after
// itself closes no ring of them either.
bool MayBecomeOne(const Graph& graph, const NodeOrder& order, const Chain& chain, size_t i,
                  const std::vector<NodeId>& sources) {
  const uint64_t fine = order.After(chain.product) & ~(uint64_t{1} << i);
  const auto is_fine = [&](NodeId source) { return (order.After(source) & ~fine) == 0; };
  return is_fine(graph.node(chain.relu).inputs[1].node) && std::all_of(sources.begin(), sources.end(), is_fine);
}

void Replace(std::vector<NodeId>& ids, NodeId old, NodeId made) {
  std::replace(ids.begin(), ids.end(), old, made);
  SortUnique(ids);
}

// Control edges as they are while chains are prepared.
class Waiters {
 public:
  explicit Waiters(Graph& graph) : graph_(graph), consumers_(graph.BuildConsumers()) {}

  // Leaves nothing that waits for the chain's product or its Identity.
  void Move(const Chain& chain, std::vector<NodeId> sources) {
    if (chain.identity >= 0) graph_.mutable_node(chain.identity).control_inputs.clear();
    for (const Consumers::Edge& edge : consumers_.of(chain.product)) {
      if (edge.port < 0) Replace(graph_.mutable_node(edge.node).control_inputs, chain.product, chain.relu);
    }
    for (NodeId id : added_[chain.product]) Replace(graph_.mutable_node(id).control_inputs, chain.product, chain.relu);
    for (NodeId source : sources) added_[source].push_back(chain.relu);
    graph_.mutable_node(chain.relu).control_inputs = std::move(sources);
  }

 private:
  Graph& graph_;
  const Consumers consumers_;
  std::unordered_map<NodeId, std::vector<NodeId>> added_;
};

// Chains that may be fused, by their products. The graph's control edges are then such that they can.
Result<std::unordered_map<NodeId, Chain>> Prepare(Graph& graph) {
  std::vector<Chain> chains;
  {
    const FusionView view(graph);
    for (const Node& node : graph.nodes()) {
      if (const std::optional<Chain> chain = ChainOf(view, node)) chains.push_back(*chain);
    }
  }
  std::unordered_map<NodeId, Chain> found;
  for (size_t first = 0; first < chains.size(); first += NodeOrder::kMost) {
    const size_t count = std::min(NodeOrder::kMost, chains.size() - first);
    std::vector<NodeId> products;
    for (size_t i = 0; i < count; ++i) products.push_back(chains[first + i].product);
    DF_ASSIGN(const std::vector<NodeId> order, graph.TopologicalOrder());
    const NodeOrder node_order(graph, order, products);
    Waiters waiters(graph);
    for (size_t i = 0; i < count; ++i) {
      const Chain& chain = chains[first + i];
      std::vector<NodeId> sources = SourcesOf(graph, chain);
      if (!MayBecomeOne(graph, node_order, chain, i, sources)) continue;
      waiters.Move(chain, std::move(sources));
      found.emplace(chain.product, chain);
    }
  }
  return found;
}

Fusion FusionOf(const Graph& graph, const Chain& chain) {
  const Node& product = graph.node(chain.product);
  Fusion fusion{chain.relu, {chain.product}, "_FusedMatMul", product.inputs, {}};
  if (chain.identity >= 0) fusion.gone.push_back(chain.identity);
  fusion.inputs.push_back(graph.node(chain.relu).inputs[1]);
  for (const char* name : {"T", "transpose_a", "transpose_b"}) {
    if (const AttrValue* value = product.attrs.Find(name)) fusion.attrs.Set(name, *value);
  }
  fusion.attrs.Set("fused_ops", std::vector<std::string>{"ReluGrad"});
  return fusion;
}

}  // namespace

Status FuseReluGradients(Graph& graph) {
  if (graph.ops().Find("_FusedMatMul") == nullptr || HasControlFlow(graph)) return Status();
  DF_ASSIGN(const auto chains, Prepare(graph));
  if (chains.empty()) return Status();
  return FuseNodes(graph, [&](const FusionView& view, const Node& node) -> std::optional<Fusion> {
    const auto found = chains.find(node.id);
    if (found == chains.end()) return {};
    return FusionOf(view.graph(), found->second);
  });
}

}  // namespace dfrun
