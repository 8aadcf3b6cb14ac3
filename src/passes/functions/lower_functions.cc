#include "src/passes/functions/lower_functions.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "src/graph/control_flow.h"
#include "src/graph/deferred_shapes.h"
#include "src/graph/graph_def/attr_proto.h"
#include "src/graph/graph_def/graph_def_parse.h"
#include "src/graph/graph_def/unknown_ops.h"
#include "src/graph/order/read_apart.h"
#include "src/graph/proto/graph.pb.h"
#include "src/passes/functions/inliner.h"
#include "src/passes/functions/lowerings.h"

namespace dfrun {
namespace {

// The calls that cannot be lowered, each with the reason.
using RefusedCalls = std::map<NodeId, std::string>;

// The graph with all calls lowered but for those that are refused.
class GraphLowering {
 public:
  GraphLowering(const Graph& from, const LowerFunctionsOptions& options, const RefusedCalls& refused)
      : from_(from),
        first_node_(options.first_node),
        refused_(refused),
        to_(from.Subset(NodesBefore(from, options.first_node))),
        library_(from),
        inliner_(to_, from, library_, options.max_nodes),
        nodes_(static_cast<size_t>(from.num_nodes()), -1) {
    for (NodeId id = 0; id < first_node_; ++id) nodes_[id] = id;
    site_.may_be_dead = HasControlFlow(from);
  }

  Result<Graph> Run() {
    DF_ASSIGN(const std::vector<NodeId> order, from_.TopologicalOrder());
    for (NodeId id : order) {
      if (id >= first_node_) DF_TRY(Add(from_.node(id)));
    }
    for (const BackEdge& edge : back_edges_) {
      DF_TRY(to_.SetInput(edge.reader, edge.input, Lowered(edge.from)));
    }
    DF_TRY(InferShapesOfWhatMayRun(to_));
    to_.set_extras(KeepsUnknownNodes() ? ExtrasWithRefused() : ExtrasWithoutLibrary());
    return std::move(to_);
  }

  // The call for which Run() failed, where the graph may do without it; -1: there is none.
  NodeId failed_call() const { return inliner_.is_full() ? -1 : failed_call_; }

 private:
  struct BackEdge {
    NodeId reader;
    int input;
    Output from;
  };

  Status Add(const Node& node) {
    NodeSpec spec;
    spec.name = node.name;
    spec.op = node.op->name;
    spec.attrs = node.attrs;
    spec.device = node.device;
    spec.colocate_with = node.colocate_with;
    spec.location = node.location;
    for (NodeId before : node.control_inputs) spec.control_inputs.push_back(nodes_[before]);
    std::vector<SiteValue> inputs;
    for (int i = 0; i < node.num_inputs(); ++i) {
      const Output from = node.inputs[i];
      if (from_.IsBackEdge(node, i)) back_edges_.push_back({to_.num_nodes(), i, from});
      inputs.push_back({from_.IsBackEdge(node, i) ? Output{} : Lowered(from)});
    }
    if (const auto refused = refused_.find(node.id); refused != refused_.end()) {
      spec.attrs = {{"op", spec.op}, {"why", StrCat("it cannot be: ", refused->second)}, {"Tout", OutputTypes(node)}};
      spec.op = kUnknownOp;
    } else if (IsFunctional(spec.op)) {
      failed_call_ = node.id;
      DF_TRY(AddFunctional(node, std::move(spec), inputs));
      failed_call_ = -1;
      return Status();
    }
    DF_ASSIGN(const Inlined made, inliner_.AddNode(std::move(spec), inputs, true, site_));
    nodes_[node.id] = made.effects[0];
    return Status();
  }

  // Adds the functions' nodes, then one of the node's own name, for readers, feeds and fetches of it and for nodes that
  // wait for it.
  Status AddFunctional(const Node& node, NodeSpec spec, const std::vector<SiteValue>& inputs) {
    DF_ASSIGN(Inlined made, inliner_.AddFunctional(spec, inputs, site_));
    DF_TRY(CheckTypes(node, made));
    DF_TRY(SplitHandles(node, made));
    const size_t count = made.outputs.size();
    spec.op = count == 0 ? "NoOp" : count == 1 ? "Identity" : "IdentityN";
    spec.attrs = {};
    if (!made.is_whole) spec.attrs.Set(kReadApartAttr, !made.effects.empty());
    if (!made.is_whole && !made.effects.empty()) spec.control_inputs.clear();  // the effects come after them
    spec.control_inputs.insert(spec.control_inputs.end(), made.effects.begin(), made.effects.end());
    DF_ASSIGN(const Inlined named, inliner_.AddNode(std::move(spec), made.outputs, true, site_));
    nodes_[node.id] = named.effects[0];
    return Status();
  }

  // Takes the handles off the end of a call's outputs, where the lowered loops put the handles that they use. In one
  // node with the other outputs they would bring all of their variables to one device.
  Status SplitHandles(const Node& node, Inlined& made) {
    const auto is_handle = [&](const SiteValue& value) { return to_.dtype(value.output) == DType::kResource; };
    if (made.outputs.empty() || !is_handle(made.outputs.back())) return Status();
    DF_ASSIGN(const std::vector<NodeId> done, DoneBeforeHandles(made));
    for (; !made.outputs.empty() && is_handle(made.outputs.back()); made.outputs.pop_back()) {
      DF_ASSIGN(const SiteValue handle,
                inliner_.Add(node.name + "/handle", "Identity", {made.outputs.back()}, site_, {}, done));
      handles_[{node.id, static_cast<int>(made.outputs.size()) - 1}] = handle.output;
    }
    return Status();
  }

  // Returns the nodes that a call's handles come after: all of its effects, if it runs as a whole.
  Result<std::vector<NodeId>> DoneBeforeHandles(const Inlined& made) {
    std::vector<NodeId> done;
    if (!made.is_whole) return done;
    done = made.effects;
    for (const SiteValue& value : made.outputs) {
      if (to_.dtype(value.output) == DType::kResource) continue;
      DF_ASSIGN(const NodeId output, inliner_.NodeOf(value, site_));
      done.push_back(output);
    }
    return done;
  }

  // An output of the graph as it was, as it is now.
  Output Lowered(Output from) const {
    const auto handle = handles_.find({from.node, from.port});
    return handle != handles_.end() ? handle->second : Output{nodes_[from.node], from.port};
  }

  Status CheckTypes(const Node& node, const Inlined& made) const {
    if (made.outputs.size() != node.output_types.size()) {
      return InvalidArgument("its function gives ", made.outputs.size(), " outputs, but the node has ",
                             node.output_types.size());
    }
    for (int i = 0; i < node.num_outputs(); ++i) {
      const DType given = to_.dtype(made.outputs[static_cast<size_t>(i)].output);
      if (given == node.output_types[i].dtype) continue;
      return InvalidArgument("its function gives ", given, " as output ", i, ", but the node says ",
                             node.output_types[i].dtype);
    }
    return Status();
  }

  static std::vector<DType> OutputTypes(const Node& node) {
    std::vector<DType> types;
    for (const TypedArg& output : node.output_types) types.push_back(output.dtype);
    return types;
  }

  // They are exported as they came, and may be unknown for what is in a function that they call.
  bool KeepsUnknownNodes() const { return std::any_of(to_.nodes().begin(), to_.nodes().end(), &IsUnknown); }

  std::shared_ptr<const GraphDefExtras> ExtrasWithRefused() const {
    if (refused_.empty()) return from_.extras();
    auto extras = from_.extras() == nullptr ? std::make_shared<GraphDefExtras>()
                                            : std::make_shared<GraphDefExtras>(*from_.extras());
    for (const auto& [id, why] : refused_) {
      proto::NodeDef attrs;
      const Node& node = from_.node(id);
      if (const auto rest = extras->nodes.find(node.name); rest != extras->nodes.end())
        DF_CHECK(attrs.ParseFromString(rest->second));
      for (const auto& [name, value] : node.attrs) AttrToProto(value, (*attrs.mutable_attr())[name]);
      extras->nodes[node.name] = SerializeDeterministically(attrs);
    }
    return extras;
  }

  std::shared_ptr<const GraphDefExtras> ExtrasWithoutLibrary() const {
    if (from_.extras() == nullptr) return nullptr;
    auto extras = std::make_shared<GraphDefExtras>(*from_.extras());
    proto::GraphDef def;
    DF_CHECK(def.ParseFromString(extras->graph));
    def.clear_library();
    extras->graph = def.SerializeAsString();
    return extras;
  }

  static std::vector<bool> NodesBefore(const Graph& graph, NodeId first) {
    std::vector<bool> keep(static_cast<size_t>(graph.num_nodes()), false);
    std::fill_n(keep.begin(), first, true);
    return keep;
  }

  const Graph& from_;
  const NodeId first_node_;
  const RefusedCalls& refused_;
  NodeId failed_call_ = -1;
  Graph to_;
  FunctionLibrary library_;
  FunctionInliner inliner_;
  CallSite site_;
  std::vector<NodeId> nodes_;                         // by old id: the node of the same name
  std::map<std::pair<NodeId, int>, Output> handles_;  // by old output: those that the node of that name does not give
  std::vector<BackEdge> back_edges_;
};

}  // namespace

bool CallsFunctions(const Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(),
                     [](const Node& node) { return IsFunctional(node.op->name); });
}

Status LowerFunctions(Graph& graph, const LowerFunctionsOptions& options) {
  if (!CallsFunctions(graph)) return Status();
  constexpr size_t kMaxRefused = 100;
  RefusedCalls refused;
  while (true) {
    GraphLowering lowering(graph, options, refused);
    Result<Graph> lowered = lowering.Run();
    if (lowered.ok()) {
      graph = *std::move(lowered);
      return Status();
    }
    const NodeId call = lowering.failed_call();
    if (call < 0) return lowered.status();
    if (!options.keeps_refused || refused.size() == kMaxRefused) return lowered.status().Annotate(graph.Describe(call));
    refused.emplace(call, lowered.status().message());
  }
}

}  // namespace dfrun
