#include "src/passes/fuse_elementwise.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "src/base/sort_unique.h"
#include "src/framework/op/fused_step.h"
#include "src/graph/control_flow.h"
#include "src/passes/fusion.h"
#include "src/passes/graph_rebuilder.h"
#include "src/passes/strided_views.h"

namespace dfrun {
namespace {

// The fused node of a cluster in the making.
class FusedNode {
 public:
  FusedNode(const FusionView& view, const ElementwiseClusters& clusters, const StridedViews& views,
            const Cluster& cluster)
      : view_(view), graph_(view.graph()), clusters_(clusters), views_(views), cluster_(cluster) {
    for (NodeId id : cluster) {
      for (Output input : graph_.node(id).inputs) {
        if (IsMember(input.node)) continue;
        const Input read = InputFor(input);
        if (std::find(inputs_.begin(), inputs_.end(), read) == inputs_.end()) inputs_.push_back(read);
      }
    }
    for (NodeId id : cluster) AddMember(graph_.node(id));
    if (outputs_.empty()) outputs_.push_back(NumberOf({cluster.back(), 0}));  // a target
  }

  Status AddTo(GraphRebuilder& rebuilder) const {
    const Node& last = graph_.node(cluster_.back());
    NodeSpec spec = PlacedAs(last);
    spec.name = last.name;
    spec.op = "_FusedElementwise";
    std::vector<int64_t> scalars;
    std::vector<int64_t> first_columns;
    for (const Input& input : inputs_) {
      if (graph_.shape(input.from).num_elements() == 1) scalars.push_back(static_cast<int64_t>(spec.inputs.size()));
      spec.inputs.push_back(rebuilder.NewOutput(input.from));
      first_columns.push_back(input.first_column);
    }
    for (NodeId id : cluster_) AddWaits(graph_.node(id), rebuilder, spec.control_inputs);
    SortUnique(spec.control_inputs);
    if (std::any_of(first_columns.begin(), first_columns.end(), [](int64_t first) { return first != kAllColumns; })) {
      spec.attrs.Set("shape", last.output_shapes[0]);
      spec.attrs.Set("first_columns", first_columns);
    }
    spec.attrs.Set("scalars", scalars);
    spec.attrs.Set("N", static_cast<int64_t>(inputs_.size()));
    spec.attrs.Set("M", static_cast<int64_t>(outputs_.size()));
    spec.attrs.Set("steps", steps_);
    spec.attrs.Set("outputs", outputs_);
    DF_ASSIGN(const NodeId made, rebuilder.to().AddNode(std::move(spec)));
    for (NodeId id : cluster_) rebuilder.MergeInto(id, made);
    for (const auto& [old, port] : read_outside_) rebuilder.Replace(old, {made, port});
    return Status();
  }

 private:
  static constexpr int64_t kAllColumns = -1;
  struct Input {
    bool operator==(const Input&) const = default;
    Output from;
    int64_t first_column;
  };

  bool IsMember(NodeId id) const { return clusters_.Of(id) == &cluster_; }

  Input InputFor(Output value) const {
    const std::optional<StridedView> strided = views_.Of(value);
    return strided ? Input{strided->whole, strided->first} : Input{value, kAllColumns};
  }

  void AddWaits(const Node& member, const GraphRebuilder& rebuilder, std::vector<NodeId>& waits) const {
    for (NodeId id : member.control_inputs) {
      if (!IsMember(id)) rebuilder.AddControls({id}, waits);
    }
    for (Output input : member.inputs) {
      if (views_.IsGone(input.node)) rebuilder.AddControls(graph_.node(input.node).control_inputs, waits);
    }
  }

  // Values are numbered: the inputs, then the results of the steps, of which each member has one.
  int64_t NumberOf(Output value) const {
    if (!IsMember(value.node)) return std::find(inputs_.begin(), inputs_.end(), InputFor(value)) - inputs_.begin();
    const auto step = std::lower_bound(cluster_.begin(), cluster_.end(), value.node) - cluster_.begin();
    return static_cast<int64_t>(inputs_.size()) + step;
  }

  void AddMember(const Node& node) {
    FusedStep step{node.op->name, {}};
    for (Output input : node.inputs) step.operands.push_back(static_cast<int>(NumberOf(input)));
    steps_.push_back(PrintFusedStep(step));
    const auto readers = view_.consumers().of(node.id);
    const bool is_read_outside = std::any_of(readers.begin(), readers.end(), [&](const Consumers::Edge& edge) {
      return edge.port >= 0 && !IsMember(edge.node);
    });
    if (!is_read_outside) return;
    read_outside_.emplace_back(Output{node.id, 0}, static_cast<int>(outputs_.size()));
    outputs_.push_back(NumberOf({node.id, 0}));
  }

  const FusionView& view_;
  const Graph& graph_;
  const ElementwiseClusters& clusters_;
  const StridedViews& views_;
  const Cluster& cluster_;
  std::vector<Input> inputs_;
  std::vector<std::string> steps_;
  std::vector<int64_t> outputs_;  // numbers of values
  std::vector<std::pair<Output, int>> read_outside_;
};

// Visits nodes in an order in which a cluster is one of them: that of the first members, where edges leave a choice.
class ClusteredOrder {
 public:
  ClusteredOrder(const FusionView& view, const ElementwiseClusters& clusters)
      : view_(view), clusters_(clusters), awaited_(static_cast<size_t>(view.graph().num_nodes())) {}

  // Gives a cluster by its first member.
  Status Visit(const std::function<Status(NodeId)>& visit) {
    std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;
    for (const Node& node : view_.graph().nodes()) {
      ForEachLater(node.id, [&](NodeId reader) { ++awaited_[static_cast<size_t>(reader)]; });
    }
    for (const Node& node : view_.graph().nodes()) {
      if (UnitOf(node.id) == node.id && awaited_[static_cast<size_t>(node.id)] == 0) ready.push(node.id);
    }
    while (!ready.empty()) {
      const NodeId unit = ready.top();
      ready.pop();
      DF_TRY(visit(unit));
      const Cluster* const cluster = clusters_.Of(unit);
      for (NodeId id : cluster == nullptr ? std::span(&unit, 1) : std::span<const NodeId>(*cluster)) {
        ForEachLater(id, [&](NodeId reader) {
          if (--awaited_[static_cast<size_t>(reader)] == 0) ready.push(reader);
        });
      }
    }
    return Status();
  }

 private:
  NodeId UnitOf(NodeId id) const {
    const Cluster* const cluster = clusters_.Of(id);
    return cluster == nullptr ? id : cluster->front();
  }
  // The units that an edge leads to.
  template <class Take>
  void ForEachLater(NodeId id, Take take) const {
    for (const Consumers::Edge& edge : view_.consumers().of(id)) {
      if (UnitOf(edge.node) != UnitOf(id)) take(UnitOf(edge.node));
    }
  }

  const FusionView& view_;
  const ElementwiseClusters& clusters_;
  std::vector<int> awaited_;  // edges into a unit whose source has not been visited
};

}  // namespace

Status FuseElementwise(Graph& graph, const ClusterRules& rules, int64_t least_columns) {
  if (HasControlFlow(graph)) return Status();
  const ElementwiseClusters clusters(graph, rules);
  if (clusters.empty()) return Status();
  const FusionView view(graph);
  const StridedViews views(view, clusters, least_columns);
  GraphRebuilder rebuilder(graph);
  DF_TRY(ClusteredOrder(view, clusters).Visit([&](NodeId id) {
    const Cluster* const cluster = clusters.Of(id);
    if (cluster != nullptr) return FusedNode(view, clusters, views, *cluster).AddTo(rebuilder);
    if (!views.IsGone(id)) rebuilder.Keep(id);
    return Status();
  }));
  DF_ASSIGN(graph, rebuilder.Finish());
  return Status();
}

}  // namespace dfrun
