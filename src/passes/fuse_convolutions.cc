#include "src/passes/fuse_convolutions.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "src/passes/graph_rebuilder.h"

namespace dfrun {
namespace {

struct Chain {
  NodeId conv;
  NodeId bias;
  NodeId relu;  // -1: none
};

bool IsFloat(DType dtype) {
  return dtype == DType::kFloat || dtype == DType::kBfloat16 || dtype == DType::kHalf || dtype == DType::kDouble;
}

bool HasChannelsLast(const Node& node) {
  const AttrValue* format = node.attrs.Find("data_format");
  return format != nullptr && format->get<std::string>() != nullptr && *format->get<std::string>() == "NHWC";
}

class Fuser {
 public:
  explicit Fuser(const Graph& graph) : graph_(graph), consumers_(graph.BuildConsumers()) {}

  // False where there is nothing to fuse.
  bool Find() {
    gone_.assign(static_cast<size_t>(graph_.num_nodes()), false);
    for (const Node& node : graph_.nodes()) {
      if (const std::optional<Chain> chain = ChainAt(node)) Take(*chain);
    }
    return !chains_.empty();
  }

  Result<Graph> Rebuild() {
    DF_ASSIGN(const std::vector<NodeId> order, graph_.TopologicalOrder());
    GraphRebuilder rebuilder(graph_);
    for (NodeId id : order) {
      if (gone_[static_cast<size_t>(id)]) continue;
      auto chain = chains_.find(id);
      if (chain == chains_.end()) {
        rebuilder.Keep(id);
      } else {
        DF_TRY(AddFused(chain->second, graph_.node(id), rebuilder));
      }
    }
    return rebuilder.Finish();
  }

 private:
  // The one node that reads `node`, if it does so by its output 0, and may become one node with it.
  const Node* OnlyReader(const Node& node) const {
    const std::span<const Consumers::Edge> readers = consumers_.of(node.id);
    if (readers.size() != 1 || readers[0].port != 0) return nullptr;
    const Node& reader = graph_.node(readers[0].node);
    const bool same_place = reader.device == node.device && reader.num_inputs() > 0 && reader.inputs[0].node == node.id;
    return same_place && reader.control_inputs.empty() ? &reader : nullptr;
  }

  std::optional<Chain> ChainAt(const Node& conv) const {
    if (conv.op->name != "Conv2D" || !IsFloat(conv.output_types[0].dtype) || !HasChannelsLast(conv)) return {};
    const Node* bias = OnlyReader(conv);
    if (bias == nullptr || bias->op->name != "BiasAdd" || !HasChannelsLast(*bias)) return {};
    const Node* relu = OnlyReader(*bias);
    const bool has_relu = relu != nullptr && relu->op->name == "Relu";
    return Chain{conv.id, bias->id, has_relu ? relu->id : -1};
  }

  void Take(const Chain& chain) {
    gone_[static_cast<size_t>(chain.conv)] = true;
    if (chain.relu >= 0) gone_[static_cast<size_t>(chain.bias)] = true;
    chains_.emplace(chain.relu >= 0 ? chain.relu : chain.bias, chain);
  }

  Status AddFused(const Chain& chain, const Node& last, GraphRebuilder& rebuilder) {
    const Node& conv = graph_.node(chain.conv);
    NodeSpec spec;
    spec.name = last.name;
    spec.op = "_FusedConv2D";
    for (Output input : {conv.inputs[0], conv.inputs[1], graph_.node(chain.bias).inputs[1]}) {
      spec.inputs.push_back(rebuilder.NewPlace(input));
    }
    for (NodeId id : conv.control_inputs) {
      if (rebuilder.NewControl(id) >= 0) spec.control_inputs.push_back(rebuilder.NewControl(id));
    }
    spec.attrs = conv.attrs;
    spec.attrs.Set("fused_ops",
                   chain.relu >= 0 ? std::vector<std::string>{"BiasAdd", "Relu"} : std::vector<std::string>{"BiasAdd"});
    spec.device = last.device;
    spec.colocate_with = last.colocate_with;
    spec.place = last.place;
    DF_ASSIGN(const NodeId made, rebuilder.to().AddNode(std::move(spec)));
    rebuilder.MergeInto(last.id, made);
    return Status();
  }

  const Graph& graph_;
  const Consumers consumers_;
  std::vector<bool> gone_;                    // by node
  std::unordered_map<NodeId, Chain> chains_;  // by their last node
};

}  // namespace

Status FuseConvolutions(Graph& graph) {
  if (graph.ops().Find("_FusedConv2D") == nullptr) return Status();
  Fuser fuser(graph);
  if (!fuser.Find()) return Status();
  DF_ASSIGN(graph, fuser.Rebuild());
  return Status();
}

}  // namespace dfrun
