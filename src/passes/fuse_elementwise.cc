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
#include "src/graph/control_flow.h"
#include "src/passes/column_slices.h"
#include "src/passes/element_groups.h"
#include "src/passes/fusion.h"
#include "src/passes/graph_rebuilder.h"

namespace dfrun {
namespace {

// The fused node of a group in the making.
class FusedNode {
 public:
  FusedNode(const FusionView& view, const ElementGroups& groups, const ColumnSlices& slices, const ElementGroup& group)
      : view_(view),
        graph_(view.graph()),
        groups_(groups),
        slices_(slices),
        group_(group),
        joins_(slices.JoinsOf(group)) {
    for (NodeId id : group.members) {
      for (Output input : graph_.node(id).inputs) {
        if (!IsMember(input.node)) AddInput(input);
      }
    }
    for (const ColumnJoin& join : joins_) {
      for (const ColumnJoin::Part& part : join.parts) {
        if (!IsMember(part.value.node)) AddInput(part.value);
      }
    }
    for (NodeId id : group.members) AddMember(graph_.node(id));
    for (const ColumnJoin& join : joins_) AddJoin(join);
    if (outputs_.empty()) {  // a target
      outputs_.push_back(static_cast<int64_t>(inputs_.size() + steps_.size()) - 1);
      joined_.push_back(1);
    }
  }

  Status AddTo(GraphRebuilder& rebuilder) const {
    const Node& last = graph_.node(last_step_);
    NodeSpec spec = PlacedAs(last);
    spec.name = last.name;
    spec.op = "_FusedElementwise";
    std::vector<int64_t> scalars;
    std::vector<int64_t> first_columns;
    for (const Input& input : inputs_) {
      if (graph_.shape(input.from).num_elements() == 1) scalars.push_back(static_cast<int64_t>(spec.inputs.size()));
      spec.inputs.push_back(rebuilder.NewPlace(input.from));
      first_columns.push_back(input.first_column);
    }
    for (NodeId id : awaited_) {
      if (!IsMember(id) && rebuilder.NewControl(id) >= 0) spec.control_inputs.push_back(rebuilder.NewControl(id));
    }
    SortUnique(spec.control_inputs);
    const auto has_others = [](const std::vector<int64_t>& values, int64_t usual) {
      return std::any_of(values.begin(), values.end(), [&](int64_t value) { return value != usual; });
    };
    if (has_others(first_columns, kAllColumns) || has_others(joined_, 1)) {
      spec.attrs.Set("shape", last.output_shapes[0]);
      spec.attrs.Set("first_columns", first_columns);
      spec.attrs.Set("joined", joined_);
    }
    spec.attrs.Set("scalars", scalars);
    spec.attrs.Set("N", static_cast<int64_t>(inputs_.size()));
    spec.attrs.Set("M", static_cast<int64_t>(joined_.size()));
    spec.attrs.Set("steps", steps_);
    spec.attrs.Set("outputs", outputs_);
    DF_ASSIGN(const NodeId made, rebuilder.to().AddNode(std::move(spec)));
    for (NodeId id : group_.members) rebuilder.MergeInto(id, made);
    for (const ColumnJoin& join : joins_) rebuilder.MergeInto(join.id, made);
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

  bool IsMember(NodeId id) const { return groups_.Of(id) == &group_; }

  Input InputFor(Output value) const {
    const std::optional<ColumnSlice> slice = slices_.SliceOf(value, graph_.node(group_.members[0]));
    return slice ? Input{slice->whole, slice->first} : Input{value, kAllColumns};
  }
  void AddInput(Output value) {
    const Input input = InputFor(value);
    if (std::find(inputs_.begin(), inputs_.end(), input) == inputs_.end()) inputs_.push_back(input);
    if (input.from == value) return;
    for (NodeId gone : slices_.GoneBefore(value)) AddAwaited(graph_.node(gone));
  }
  void AddAwaited(const Node& node) {
    awaited_.insert(awaited_.end(), node.control_inputs.begin(), node.control_inputs.end());
  }

  // Values are numbered: the inputs, then the results of the steps.
  int64_t NumberOf(Output value) const {
    if (!IsMember(value.node)) return std::find(inputs_.begin(), inputs_.end(), InputFor(value)) - inputs_.begin();
    const auto found = std::find_if(numbers_.begin(), numbers_.end(),
                                    [&](const auto& numbered) { return numbered.first == value.node; });
    return found->second;
  }

  void AddMember(const Node& node) {
    AddAwaited(node);
    if (node.op->name == "NoOp") return;
    int64_t number = 0;
    if (node.op->name == "Identity") {
      number = NumberOf(node.inputs[0]);
    } else {
      std::string step = node.op->name;
      for (Output input : node.inputs) step += StrCat(" ", NumberOf(input));
      number = AddStep(std::move(step));
      last_step_ = node.id;
    }
    numbers_.emplace_back(node.id, number);
    const auto readers = view_.consumers().of(node.id);
    const bool is_read_outside = std::any_of(readers.begin(), readers.end(), [&](const Consumers::Edge& edge) {
      return edge.port >= 0 && !IsMember(edge.node) && !IsOwnJoin(edge.node);
    });
    if (!is_read_outside) return;
    const auto at = std::find(outputs_.begin(), outputs_.end(), number);
    read_outside_.emplace_back(Output{node.id, 0}, static_cast<int>(at - outputs_.begin()));
    if (at != outputs_.end()) return;
    outputs_.push_back(number);
    joined_.push_back(1);
  }

  int64_t AddStep(std::string step) {
    steps_.push_back(std::move(step));
    return static_cast<int64_t>(inputs_.size() + steps_.size()) - 1;
  }

  bool IsOwnJoin(NodeId id) const {
    return std::any_of(joins_.begin(), joins_.end(), [&](const ColumnJoin& join) { return join.id == id; });
  }

  // Outputs of several values come last.
  void AddJoin(const ColumnJoin& join) {
    read_outside_.emplace_back(Output{join.id, 0}, static_cast<int>(joined_.size()));
    for (const ColumnJoin::Part& part : join.parts) {
      const int64_t number = NumberOf(part.value);
      outputs_.push_back(part.is_copied ? AddStep(StrCat("Identity ", number)) : number);
    }
    joined_.push_back(static_cast<int64_t>(join.parts.size()));
  }

  const FusionView& view_;
  const Graph& graph_;
  const ElementGroups& groups_;
  const ColumnSlices& slices_;
  const ElementGroup& group_;
  const std::span<const ColumnJoin> joins_;
  std::vector<Input> inputs_;
  std::vector<NodeId> awaited_;
  std::vector<std::string> steps_;
  NodeId last_step_ = -1;
  std::vector<int64_t> outputs_;  // numbers of values
  std::vector<int64_t> joined_;   // how many of them an output takes
  std::vector<std::pair<NodeId, int64_t>> numbers_;
  std::vector<std::pair<Output, int>> read_outside_;
};

// Visits nodes in an order in which a group with the ConcatV2s that it makes is one of them: that of the first members,
// where edges leave a choice.
class GroupedOrder {
 public:
  GroupedOrder(const FusionView& view, const ElementGroups& groups, const ColumnSlices& slices)
      : view_(view), awaited_(static_cast<size_t>(view.graph().num_nodes())), nodes_of_(awaited_.size()) {
    for (const Node& node : view.graph().nodes()) {
      unit_of_.push_back(node.id);
      const ElementGroup* const group = groups.Of(node.id);
      if (group == nullptr || node.id != group->members[0]) continue;
      std::vector<NodeId>& nodes = nodes_of_[static_cast<size_t>(node.id)];
      nodes = group->members;
      for (const ColumnJoin& join : slices.JoinsOf(*group)) nodes.push_back(join.id);
    }
    for (const std::vector<NodeId>& nodes : nodes_of_) {
      for (NodeId id : nodes) unit_of_[static_cast<size_t>(id)] = nodes[0];
    }
  }

  // Gives a group by its first member.
  Status Visit(const std::function<Status(NodeId)>& visit) {
    std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> ready;
    for (const Node& node : view_.graph().nodes()) {
      for (const Consumers::Edge& edge : view_.consumers().of(node.id)) {
        if (UnitOf(edge.node) != UnitOf(node.id)) ++awaited_[static_cast<size_t>(UnitOf(edge.node))];
      }
    }
    for (const Node& node : view_.graph().nodes()) {
      if (UnitOf(node.id) == node.id && awaited_[static_cast<size_t>(node.id)] == 0) ready.push(node.id);
    }
    while (!ready.empty()) {
      const NodeId unit = ready.top();
      ready.pop();
      DF_TRY(visit(unit));
      for (NodeId id : NodesOf(unit)) {
        for (const Consumers::Edge& edge : view_.consumers().of(id)) {
          const NodeId reader = UnitOf(edge.node);
          if (reader != unit && --awaited_[static_cast<size_t>(reader)] == 0) ready.push(reader);
        }
      }
    }
    return Status();
  }

 private:
  NodeId UnitOf(NodeId id) const { return unit_of_[static_cast<size_t>(id)]; }
  std::span<const NodeId> NodesOf(const NodeId& unit) const {
    const std::vector<NodeId>& nodes = nodes_of_[static_cast<size_t>(unit)];
    return nodes.empty() ? std::span(&unit, 1) : nodes;
  }

  const FusionView& view_;
  std::vector<int> awaited_;  // edges into a unit whose source has not been visited
  std::vector<NodeId> unit_of_;
  std::vector<std::vector<NodeId>> nodes_of_;  // by unit; none: it is one node
};

// Nodes that give each a value of an Unpack that goes.
Status TakeOneByOne(const Node& unpack, const std::vector<int>& values, GraphRebuilder& rebuilder) {
  Graph& graph = rebuilder.to();
  const auto axis = static_cast<size_t>(unpack.output_shapes[0].rank() - 1);
  const auto add = [&](std::string_view what, const std::string& op) {
    NodeSpec spec = PlacedAs(unpack);
    spec.name = graph.UniqueName(StrCat(unpack.name, "/", what));
    spec.op = op;
    return spec;
  };
  const auto add_vector = [&](std::string_view what, int32_t last, int32_t others) -> Result<Output> {
    std::vector<int32_t> vector(axis + 1, others);
    vector.back() = last;
    NodeSpec spec = add(what, "Const");
    spec.attrs = {{"dtype", DType::kInt32}, {"value", Tensor::Vector<int32_t>(vector)}};
    DF_ASSIGN(const NodeId made, graph.AddNode(std::move(spec)));
    return Output{made, 0};
  };
  DF_ASSIGN(const Output strides, add_vector("strides", 1, 1));
  for (int value : values) {
    NodeSpec spec = add(StrCat("value_", value), "StridedSlice");
    DF_ASSIGN(const Output begin, add_vector(StrCat("begin_", value), value, 0));
    DF_ASSIGN(const Output end, add_vector(StrCat("end_", value), value + 1, 0));
    spec.inputs = {rebuilder.NewPlace(unpack.inputs[0]), begin, end, strides};
    rebuilder.AddControls(unpack.control_inputs, spec.control_inputs);
    const int64_t all_rows = (int64_t{1} << axis) - 1;
    spec.attrs = {{"T", unpack.output_types[0].dtype},
                  {"Index", DType::kInt32},
                  {"begin_mask", all_rows},
                  {"end_mask", all_rows},
                  {"shrink_axis_mask", int64_t{1} << axis}};
    DF_ASSIGN(const NodeId made, graph.AddNode(std::move(spec)));
    rebuilder.Replace({unpack.id, value}, {made, 0});
  }
  return Status();
}

}  // namespace

Status FuseElementwise(Graph& graph, int64_t least_elements, int64_t least_columns) {
  if (graph.ops().Find("_FusedElementwise") == nullptr || HasControlFlow(graph)) return Status();
  const FusionView view(graph);
  const ElementGroups groups(view, least_elements);
  if (groups.empty()) return Status();
  const ColumnSlices slices(view, groups, least_columns);
  GraphRebuilder rebuilder(graph);
  DF_TRY(GroupedOrder(view, groups, slices).Visit([&](NodeId id) {
    const ElementGroup* const group = groups.Of(id);
    if (group != nullptr) return FusedNode(view, groups, slices, *group).AddTo(rebuilder);
    if (!slices.IsGone(id)) {
      rebuilder.Keep(id);
      return Status();
    }
    if (const NodeId awaited = slices.AwaitedFor(id); awaited >= 0) {
      rebuilder.ReplaceControl(id, rebuilder.NewControl(awaited));
    }
    const Node& node = graph.node(id);
    const std::vector<int> values = slices.ValuesOfOthers(node);
    return values.empty() ? Status() : TakeOneByOne(node, values, rebuilder);
  }));
  DF_ASSIGN(graph, rebuilder.Finish());
  return Status();
}

}  // namespace dfrun
