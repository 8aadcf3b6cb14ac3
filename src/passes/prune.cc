#include "src/passes/prune.h"

#include <map>
#include <utility>

#include "src/graph/deferred_shapes.h"
#include "src/graph/graph_def/unknown_ops.h"
#include "src/graph/order/ancestors.h"
#include "src/graph/order/read_apart.h"
#include "src/passes/graph_rebuilder.h"

namespace dfrun {
namespace {

// One call of PruneForRun().
class Pruner {
 public:
  Pruner(const Graph& graph, const RunSignature& signature)
      : graph_(graph),
        signature_(signature),
        has_feed_(static_cast<size_t>(graph.num_nodes()), false),
        rebuilder_(graph) {}

  Result<Graph> Run() {
    DF_TRY(CheckSignature());
    DF_ASSIGN(const std::vector<NodeId> order, graph_.TopologicalOrder());
    const std::vector<bool> needed = Needed();
    DF_TRY(CheckKnown(graph_, needed));
    DF_TRY(AddArgs());
    for (NodeId id : order) {
      if (needed[id]) {
        DF_TRY(CheckFedRefs(id));
        rebuilder_.Keep(id);
      }
      if (IsReadApart(graph_.node(id))) LeadApart(graph_.node(id));
    }
    DF_TRY(AddRetvals());
    DF_ASSIGN(Graph pruned, rebuilder_.Finish());
    DF_TRY(InferShapesOfWhatRuns(pruned).Annotate("with the shapes that are fed"));
    return pruned;
  }

 private:
  Status CheckOutput(std::string_view what, Output value) const {
    if (value.node >= 0 && value.node < graph_.num_nodes() && value.port >= 0 &&
        value.port < graph_.node(value.node).num_outputs()) {
      return Status();
    }
    return InvalidArgument("a ", what, " is no output of the graph (node ", value.node, ", port ", value.port, ")");
  }

  Status CheckSignature() {
    const size_t num_shapes = signature_.feed_shapes.size();
    if (num_shapes != 0 && num_shapes != signature_.feeds.size()) {
      return InvalidArgument(num_shapes, " shapes are given for ", signature_.feeds.size(), " feeds");
    }
    for (size_t i = 0; i < signature_.feeds.size(); ++i) {
      const Output feed = signature_.feeds[i];
      DF_TRY(CheckOutput("feed", feed));
      has_feed_[feed.node] = true;
      if (!feed_index_.emplace(std::pair(feed.node, feed.port), i).second) {
        return InvalidArgument("'", OutputName(graph_, feed), "' is fed twice");
      }
    }
    for (Output fetch : signature_.fetches) DF_TRY(CheckOutput("fetch", fetch));
    for (NodeId target : signature_.targets) {
      if (target < 0 || target >= graph_.num_nodes()) {
        return InvalidArgument("a target is no node of the graph (", target, ")");
      }
    }
    return Status();
  }

  bool IsFed(Output value) const {
    return has_feed_[value.node] && feed_index_.count(std::pair(value.node, value.port)) != 0;
  }

  // A fed placeholder only represents its feed: nothing waits for it.
  bool IsFedPlaceholder(NodeId id) const {
    return has_feed_[id] && graph_.node(id).op->name.compare(0, 11, "Placeholder") == 0;
  }

  std::vector<bool> Needed() const {
    AncestorWalk walk(graph_);
    for (Output fetch : signature_.fetches) {
      if (!IsFed(fetch)) walk.Add(fetch.node);
    }
    for (NodeId target : signature_.targets) walk.Add(target);
    while (const Node* node = walk.Next()) {
      for (Output input : node->inputs) {
        const Output source = SourceOf(input);
        if (source.valid() && !IsFed(source)) walk.Add(source.node);
      }
      for (NodeId id : node->control_inputs) {
        if (!IsFedPlaceholder(id)) walk.Add(AwaitedFor(id));
      }
    }
    return std::move(walk).added();
  }

  // The source of an output, by way of nodes that are read apart.
  Output SourceOf(Output value) const {
    while (value.valid() && !IsFed(value) && IsReadApart(graph_.node(value.node))) {
      value = graph_.node(value.node).inputs[static_cast<size_t>(value.port)];
    }
    return value;
  }
  NodeId AwaitedFor(NodeId id) const {
    while (IsAwaitedApart(graph_.node(id))) id = graph_.node(id).control_inputs[0];
    return id;
  }

  // Connects the readers of the node, and the nodes that wait for it, directly to the sources of what they need;
  // fetches keep the node.
  void LeadApart(const Node& node) {
    if (rebuilder_.NewNode(node.id) >= 0) whole_[node.id] = rebuilder_.NewNode(node.id);
    for (int port = 0; port < node.num_outputs(); ++port) {
      const Output value = {node.id, port};
      if (!IsFed(value)) rebuilder_.Replace(value, rebuilder_.NewOutput(SourceOf(value)));
    }
    if (IsAwaitedApart(node)) rebuilder_.ReplaceControl(node.id, rebuilder_.NewControl(AwaitedFor(node.id)));
  }

  Output NewFetch(Output fetch) const {
    const auto whole = IsFed(fetch) ? whole_.end() : whole_.find(fetch.node);
    return whole == whole_.end() ? rebuilder_.NewOutput(fetch) : Output{whole->second, fetch.port};
  }

  Status AddArgs() {
    for (size_t i = 0; i < signature_.feeds.size(); ++i) {
      const Output feed = signature_.feeds[i];
      PartialShape shape = graph_.shape(feed);
      if (!signature_.feed_shapes.empty()) {
        Result<PartialShape> merged = shape.Merge(signature_.feed_shapes[i]);
        if (!merged.ok()) {
          return InvalidArgument("'", OutputName(graph_, feed), "' is fed a value of shape ", signature_.feed_shapes[i],
                                 ", but its shape is ", shape);
        }
        shape = *std::move(merged);
      }
      DF_ASSIGN(
          const NodeId arg,
          AddBoundary("_Arg", graph_.UniqueName(BoundaryName("_arg_", feed)), feed, {},
                      {{"T", graph_.dtype(feed)}, {"index", static_cast<int64_t>(i)}, {"shape", std::move(shape)}}));
      rebuilder_.Replace(feed, {arg, 0});
      if (IsFedPlaceholder(feed.node)) rebuilder_.ReplaceControl(feed.node, arg);
    }
    return Status();
  }

  Status AddRetvals() {
    for (size_t i = 0; i < signature_.fetches.size(); ++i) {
      const Output fetch = signature_.fetches[i];
      const std::string name = rebuilder_.to().UniqueName(BoundaryName("_retval_", fetch));
      Result<NodeId> added =
          AddBoundary("_Retval", name, fetch, {NewFetch(fetch)}, {{"index", static_cast<int64_t>(i)}});
      DF_TRY(added.status());
    }
    return Status();
  }

  std::string BoundaryName(const char* prefix, Output value) const {
    return StrCat(prefix, graph_.node(value.node).name, "_", value.port);
  }

  Result<NodeId> AddBoundary(const char* op, std::string name, Output stands_for, std::vector<Output> inputs,
                             AttrMap attrs) {
    NodeSpec spec;
    spec.name = std::move(name);
    spec.op = op;
    spec.inputs = std::move(inputs);
    spec.attrs = std::move(attrs);
    spec.location = graph_.node(stands_for.node).location;
    return rebuilder_.to().AddNode(std::move(spec));
  }

  Status CheckFedRefs(NodeId id) const {
    const Node& node = graph_.node(id);
    for (int i = 0; i < node.num_inputs(); ++i) {
      if (!node.inputs[i].valid() || !node.input_types[i].is_ref || !IsFed(node.inputs[i])) continue;
      return InvalidArgument("'", OutputName(graph_, node.inputs[i]), "' cannot be fed in a run of ",
                             graph_.Describe(id), ", which updates it: its input ", i, " must be a variable");
    }
    return Status();
  }

  const Graph& graph_;
  const RunSignature& signature_;
  std::vector<bool> has_feed_;  // by node: one of its outputs is fed
  std::map<std::pair<NodeId, int32_t>, size_t> feed_index_;
  std::map<NodeId, NodeId> whole_;  // by old id: the new nodes that were read apart
  GraphRebuilder rebuilder_;
};

}  // namespace

Result<Graph> PruneForRun(const Graph& graph, const RunSignature& signature) {
  return Pruner(graph, signature).Run();
}

}  // namespace dfrun
