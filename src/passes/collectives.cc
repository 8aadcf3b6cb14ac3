#include "src/passes/collectives.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "src/collectives/group.h"
#include "src/collectives/lowered_exchange.h"
#include "src/collectives/participant_exchange.h"
#include "src/graph/control_flow.h"
#include "src/graph/order/ancestors.h"
#include "src/graph/order/participants.h"
#include "src/graph/wire_compression.h"
#include "src/passes/pass.h"

namespace dfrun {
namespace {

bool IsWholeOp(const std::string& op) {
  return op == "AllReduce" || op == "AllGather" || op == "ReduceScatter" || op == "Broadcast";
}

// One call of LowerCollectives() or ChooseCollectives().
class Lowering {
 public:
  Lowering(Graph& graph, CollectivesOption option) : graph_(graph), option_(option), num_before_(graph.num_nodes()) {}

  Status Run() {
    DF_ASSIGN(behind_control_flow_, FindBehindControlFlow(graph_));
    for (NodeId id = 0; id < num_before_; ++id) {
      const std::string& op = graph_.node(id).op->name;
      if (!CollectiveForm(graph_.node(id)).empty()) {
        DF_TRY(Note(id).Annotate(graph_.Describe(id)));
      } else if (IsWholeOp(op)) {
        DF_TRY(LowerWhole(id).Annotate(graph_.Describe(id)));
      }
    }
    for (auto& [keys, group] : groups_) DF_TRY(LowerGroup(group).Annotate(graph_.Describe(group[0])));
    return controls_.empty() ? Status() : Replace();
  }

  Status Settle() {
    DF_ASSIGN(const auto groups, FindParticipants(graph_));
    for (const auto& [number, group] : groups) DF_TRY(SettleGroup(group).Annotate(graph_.Describe(group[0])));
    return controls_.empty() ? Status() : Replace();
  }

 private:
  using Keys = std::pair<int64_t, int64_t>;  // group_key, instance_key

  Status Note(NodeId id) {
    DF_ASSIGN(const CollectiveKeys keys, ReadCollectiveKeys(graph_, id));
    groups_[{keys.group, keys.instance}].push_back(id);
    return Status();
  }

  // Returns the participant's part in a collective: its input, after its control inputs.
  Result<Output> Enter(NodeId id, int input, CollectiveMember& member) {
    const Node& node = graph_.node(id);
    NodeSpec spec;
    spec.name = graph_.UniqueName(StrCat(member.scope, "/input"));
    spec.op = "Identity";
    spec.inputs = {node.inputs[input]};
    spec.control_inputs = node.control_inputs;
    if (IsMarkedCompressed(graph_.node(node.inputs[input].node))) MarkCompressed(spec.attrs);
    spec.device = member.device;
    spec.colocate_with = member.colocate_with;
    DF_ASSIGN(const NodeId made, graph_.AddNode(std::move(spec)));
    member.value = {made, 0};
    member.colocate_with = graph_.node(made).name;
    return member.value;
  }

  // The node that gives the value, also where that was a collective: its participants are on devices of their own.
  NodeId NodeOf(Output value) const {
    const auto result = values_.find({value.node, value.port});
    return result == values_.end() ? value.node : result->second.node;
  }

  void Give(NodeId id, int port, Output result) {
    values_[{id, port}] = result;
    controls_[id].push_back(result.node);
  }

  Status LowerWhole(NodeId id) {
    const Node& node = graph_.node(id);
    const std::string name = node.name;
    const std::string op = node.op->name;
    const int num_outputs = node.num_outputs();
    std::vector<CollectiveMember> members;
    for (int i = 0; i < node.num_inputs(); ++i) {
      members.push_back({{}, StrCat(name, "/", i), "", graph_.node(NodeOf(graph_.node(id).inputs[i])).name});
      DF_TRY(Enter(id, i, members.back()).status());
    }
    if (op == "Broadcast") {
      for (int port = 0; port < num_outputs; ++port) Give(id, port, members[0].value);
      return Status();
    }
    DF_ASSIGN(const std::unique_ptr<CollectiveExchange> exchange, NewExchange({id}, std::move(members)));
    DF_ASSIGN(const std::vector<Output> results, ExchangeAs(op, graph_.node(id).attrs, *exchange));
    for (int port = 0; port < num_outputs; ++port) {
      const auto i = static_cast<size_t>(port);
      Give(id, port, Ensure(*exchange, i, results[i], {id, port}));
    }
    return exchange->status();
  }

  // Makes the exchange of one of dfrun's own ops, except Broadcast.
  static Result<std::vector<Output>> ExchangeAs(const std::string& op, const AttrMap& attrs,
                                                CollectiveExchange& exchange) {
    if (op == "AllGather") return exchange.Gather();
    DF_ASSIGN(const std::string merge, attrs.Get<std::string>("reduction"));
    std::vector<Output> results = op == "AllReduce" ? exchange.Reduce(merge) : exchange.Scatter(merge);
    DF_TRY(exchange.status());
    return results;
  }

  // The exchange between these members; `ids`: the nodes that they stand for.
  Result<std::unique_ptr<CollectiveExchange>> NewExchange(const std::vector<NodeId>& ids,
                                                          std::vector<CollectiveMember> members) {
    std::vector<PartialShape> shapes;
    shapes.reserve(members.size());
    for (const CollectiveMember& member : members) shapes.push_back(graph_.shape(member.value));
    DF_ASSIGN(const bool are_participants, AreParticipants(ids, graph_.dtype(members[0].value), shapes));
    std::unique_ptr<CollectiveExchange> exchange;
    if (are_participants) {
      exchange = std::make_unique<ParticipantExchange>(graph_, std::move(members), NewGroup());
    } else {
      exchange = std::make_unique<LoweredExchange>(graph_, std::move(members));
    }
    return exchange;
  }

  // The group's number: that of a node, which no other group has.
  int64_t NewGroup() {
    has_participants_ = true;
    return graph_.num_nodes();
  }

  // `shapes`: of the values that the participants bring, or receive.
  Result<bool> AreParticipants(const std::vector<NodeId>& ids, DType dtype,
                               const std::vector<PartialShape>& shapes) const {
    for (NodeId id : ids) {
      if (behind_control_flow_[static_cast<size_t>(id)]) return false;  // in a loop, or perhaps dead
    }
    for (const PartialShape& shape : shapes) {
      if (!shape.IsFullyDefined() || !(shape == shapes[0])) return false;
    }
    CollectiveRequest request;
    request.participants = static_cast<int>(shapes.size());
    request.bytes = shapes[0].num_elements() * static_cast<int64_t>(DTypeSize(dtype));
    DF_ASSIGN(const std::string implementation, ChooseCollective(request, option_));
    return !implementation.empty();
  }

  // Tells for each node whether a primitive of conditionals or loops comes before it.
  static Result<std::vector<bool>> FindBehindControlFlow(const Graph& graph) {
    std::vector<bool> behind(static_cast<size_t>(graph.num_nodes()), false);
    if (!HasControlFlow(graph)) return behind;
    DF_ASSIGN(const std::vector<NodeId> order, graph.TopologicalOrder());
    for (NodeId id : order) {
      const Node& node = graph.node(id);
      const auto is_behind = [&](NodeId source) { return behind[static_cast<size_t>(source)]; };
      behind[static_cast<size_t>(id)] =
          node.op->traits.control_flow != ControlFlowKind::kNone ||
          std::any_of(node.control_inputs.begin(), node.control_inputs.end(), is_behind) ||
          std::any_of(node.inputs.begin(), node.inputs.end(),
                      [&](Output input) { return input.valid() && is_behind(input.node); });
    }
    return behind;
  }

  Status LowerGroup(std::vector<NodeId>& group) {
    DF_TRY(CheckCollectiveGroup(graph_, group));
    DF_TRY(SortByDevice(graph_, group));
    const std::string form = CollectiveForm(graph_.node(group[0]));
    if (IsBroadcast(form)) return LowerBroadcast(group);
    std::vector<CollectiveMember> members;
    for (NodeId id : group) {
      members.push_back(SiteOf(id));
      DF_TRY(Enter(id, 0, members.back()).status());
    }
    DF_ASSIGN(const std::unique_ptr<CollectiveExchange> exchange, NewExchange(group, std::move(members)));
    DF_ASSIGN(const std::vector<Output> results, Exchange(*exchange, form, graph_.node(group[0]).attrs));
    for (size_t i = 0; i < group.size(); ++i) Give(group[i], 0, Ensure(*exchange, i, results[i], {group[i], 0}));
    return exchange->status();
  }

  // Participants of a placed graph.
  Status SettleGroup(const std::vector<NodeId>& group) {
    const Node& first = graph_.node(group[0]);
    DF_ASSIGN(const PartialShape shape, first.attrs.Get<PartialShape>("shape"));
    CollectiveRequest request;
    request.participants = static_cast<int>(group.size());
    request.bytes = shape.num_elements() * static_cast<int64_t>(DTypeSize(first.output_types[0].dtype));
    for (NodeId id : group) request.devices.push_back(graph_.node(id).device);
    DF_ASSIGN(const std::string implementation, ChooseCollective(request, option_));
    if (implementation.empty()) return LowerSettled(group);
    for (NodeId id : group) graph_.mutable_node(id).attrs.Set("implementation", implementation);
    return Status();
  }

  Status LowerSettled(const std::vector<NodeId>& group) {
    const std::string op = graph_.node(group[0]).op->name.substr(1);
    if (op.starts_with("Broadcast")) return LowerBroadcast(group);
    std::vector<CollectiveMember> members;
    for (NodeId id : group) {
      members.push_back(SiteOf(id));
      DF_TRY(Enter(id, 0, members.back()).status());
    }
    LoweredExchange exchange(graph_, std::move(members));
    DF_ASSIGN(const std::vector<Output> results, ExchangeAs(op, graph_.node(group[0]).attrs, exchange));
    for (size_t i = 0; i < group.size(); ++i) Give(group[i], 0, results[i]);
    return Status();
  }

  static Result<std::vector<Output>> Exchange(CollectiveExchange& exchange, const std::string& form,
                                              const AttrMap& attrs) {
    if (form == "Gather") return exchange.Gather();
    DF_ASSIGN(const std::string merge, attrs.Get<std::string>("merge_op"));
    DF_ASSIGN(const std::string final_op, attrs.Get<std::string>("final_op"));
    std::vector<Output> results = exchange.Reduce(merge);
    for (size_t i = 0; i < results.size() && final_op == "Div"; ++i) results[i] = exchange.DivideBySize(i, results[i]);
    return results;
  }

  // The result at member i. It must have the shape of the output that it stands for: inputs whose shapes were not known
  // may be of others.
  Output Ensure(CollectiveExchange& exchange, size_t i, Output result, Output replaced) const {
    const PartialShape declared = graph_.shape(replaced);
    if (!result.valid() || !declared.known_rank() || graph_.shape(result) == declared) return result;
    return exchange.Add(i, "EnsureShape", {result}, {{"shape", declared}});
  }

  CollectiveMember SiteOf(NodeId id) const {
    const Node& node = graph_.node(id);
    return {{}, node.name, node.device, node.colocate_with};
  }

  Status LowerBroadcast(const std::vector<NodeId>& group) {
    const auto is_sender = [&](NodeId id) {
      return CollectiveForm(graph_.node(id)) == "BcastSend" || graph_.node(id).op->name == "_BroadcastSend";
    };
    if (std::count_if(group.begin(), group.end(), is_sender) != 1) {
      return InvalidArgument("a broadcast has one CollectiveBcastSend, this one ",
                             std::count_if(group.begin(), group.end(), is_sender));
    }
    const NodeId sender = *std::find_if(group.begin(), group.end(), is_sender);
    CollectiveMember site = SiteOf(sender);
    DF_TRY(Enter(sender, 0, site).status());
    LoweredExchange exchange(graph_, {site});
    const Output sent = Ensure(exchange, 0, site.value, {sender, 0});
    DF_TRY(exchange.status());
    site.value = sent;
    if (!IsParticipant(graph_.node(sender))) {
      std::vector<PartialShape> shapes;
      shapes.reserve(group.size());
      for (NodeId id : group) shapes.push_back(id == sender ? graph_.shape(sent) : graph_.shape({id, 0}));
      DF_ASSIGN(const bool are_participants, AreParticipants(group, graph_.dtype(sent), shapes));
      if (are_participants) return BroadcastByParticipants(group, sender, site);
    }
    for (NodeId id : group) {
      if (id == sender) {
        Give(id, 0, sent);
        continue;
      }
      DF_ASSIGN(const Output received, Receive(id, sent));
      Give(id, 0, received);
    }
    return Status();
  }

  Status BroadcastByParticipants(const std::vector<NodeId>& group, NodeId sender, const CollectiveMember& root) {
    std::vector<CollectiveMember> members;
    for (NodeId id : group) {
      members.push_back(id == sender ? root : SiteOf(id));
      if (id != sender) members.back().control_inputs = graph_.node(id).control_inputs;
    }
    ParticipantExchange exchange(graph_, std::move(members), NewGroup());
    const std::vector<Output> results =
        exchange.Broadcast(static_cast<size_t>(std::find(group.begin(), group.end(), sender) - group.begin()));
    DF_TRY(exchange.status());
    for (size_t i = 0; i < group.size(); ++i) Give(group[i], 0, results[i]);
    return Status();
  }

  Result<Output> Receive(NodeId id, Output sent) {
    const CollectiveMember site = SiteOf(id);
    NodeSpec spec;
    spec.name = graph_.UniqueName(StrCat(site.scope, "/output"));
    spec.op = "EnsureShape";
    spec.inputs = {sent};
    spec.attrs = {{"shape", graph_.shape({id, 0})}};
    spec.control_inputs = graph_.node(id).control_inputs;
    spec.device = site.device;
    spec.colocate_with = site.colocate_with;
    DF_ASSIGN(const NodeId made, graph_.AddNode(std::move(spec)));
    return Output{made, 0};
  }

  // Makes the readers of the collectives read the results, and drops the collectives.
  Status Replace() {
    for (NodeId id = 0; id < graph_.num_nodes(); ++id) {
      for (int i = 0; i < graph_.node(id).num_inputs(); ++i) {
        const Output input = graph_.node(id).inputs[i];
        const auto result = values_.find({input.node, input.port});
        if (result == values_.end()) continue;
        DF_TRY(graph_.SetInput(id, i, result->second));
        read_.insert(input.node);
      }
      const std::vector<NodeId> before = graph_.node(id).control_inputs;
      for (NodeId control : before) {
        const auto result = controls_.find(control);
        if (result == controls_.end()) continue;
        read_.insert(control);
        auto& inputs = graph_.mutable_node(id).control_inputs;
        inputs.erase(std::find(inputs.begin(), inputs.end(), control));
        for (NodeId made : result->second) graph_.AddControlEdge(made, id);
      }
      const auto home = controls_.find(graph_.Find(graph_.node(id).colocate_with));
      if (home != controls_.end()) graph_.mutable_node(id).colocate_with = graph_.node(home->second[0]).name;
    }
    graph_ = graph_.Subset(Needed());
    if (has_participants_) return OrderWithParticipants(graph_).status();
    return graph_.TopologicalOrder().status().Annotate(
        "each participant of a collective waits for the others, and none may need what another gets");
  }

  // The nodes to keep: all that are no collectives, the nodes that they need, and collectives that are run for
  // themselves. A collective with an output for each participant loses the outputs that nobody reads.
  std::vector<bool> Needed() const {
    AncestorWalk walk(graph_);
    for (NodeId id = num_before_; id < graph_.num_nodes(); ++id) {
      if (IsParticipant(graph_.node(id))) walk.Add(id);  // the others wait for it
    }
    for (NodeId id = 0; id < num_before_; ++id) {
      const auto made = controls_.find(id);
      if (made == controls_.end()) {
        walk.Add(id);
      } else if (!IsWholeOp(graph_.node(id).op->name) || read_.count(id) == 0) {
        for (NodeId result : made->second) walk.Add(result);
      }
    }
    while (const Node* node = walk.Next()) walk.AddSources(*node);
    return std::move(walk).added();
  }

  Graph& graph_;
  const CollectivesOption option_;
  const NodeId num_before_;
  std::vector<bool> behind_control_flow_;  // by node of before
  bool has_participants_ = false;
  std::set<NodeId> read_;  // collectives that somebody reads or waits for
  std::map<Keys, std::vector<NodeId>> groups_;
  std::map<std::pair<NodeId, int>, Output> values_;  // an output of a collective -> its replacement
  std::map<NodeId, std::vector<NodeId>> controls_;   // a collective -> the nodes that it became
};

}  // namespace

Status LowerCollectives(Graph& graph, CollectivesOption option) {
  return Lowering(graph, option).Run();
}

Status ChooseCollectives(Graph& graph, CollectivesOption option) {
  return Lowering(graph, option).Settle();
}

REQUIRED_GRAPH_PASS("lower_collectives", 10, [](Graph& graph, const PassContext& context) {
  return LowerCollectives(graph, context.collectives);
});

}  // namespace dfrun
