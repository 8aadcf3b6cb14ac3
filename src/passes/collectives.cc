#include "src/passes/collectives.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "src/graph/ancestors.h"
#include "src/passes/collective_exchange.h"
#include "src/passes/collective_group.h"
#include "src/passes/pass.h"

namespace dfrun {
namespace {

bool IsWholeOp(const std::string& op) {
  return op == "AllReduce" || op == "AllGather" || op == "ReduceScatter" || op == "Broadcast";
}

// One call of LowerCollectives().
class Lowering {
 public:
  explicit Lowering(Graph& graph) : graph_(graph), num_before_(graph.num_nodes()) {}

  Status Run() {
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

 private:
  using Keys = std::pair<int64_t, int64_t>;  // group_key, instance_key

  Status Note(NodeId id) {
    DF_ASSIGN(const CollectiveKeys keys, ReadCollectiveKeys(graph_, id));
    groups_[{keys.group, keys.instance}].push_back(id);
    return Status();
  }

  // The participant's part in a collective: its input, once what it waits for is done.
  Result<Output> Enter(NodeId id, int input, CollectiveMember& member) {
    const Node& node = graph_.node(id);
    NodeSpec spec;
    spec.name = graph_.UniqueName(StrCat(member.scope, "/input"));
    spec.op = "Identity";
    spec.inputs = {node.inputs[input]};
    spec.control_inputs = node.control_inputs;
    spec.device = member.device;
    spec.colocate_with = member.colocate_with;
    DF_ASSIGN(const NodeId made, graph_.AddNode(std::move(spec)));
    member.value = {made, 0};
    member.colocate_with = graph_.node(made).name;
    return member.value;
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
      members.push_back({{}, StrCat(name, "/", i), "", graph_.node(graph_.node(id).inputs[i].node).name});
      DF_TRY(Enter(id, i, members.back()).status());
    }
    if (op == "Broadcast") {
      for (int port = 0; port < num_outputs; ++port) Give(id, port, members[0].value);
      return Status();
    }
    CollectiveExchange exchange(graph_, std::move(members));
    std::vector<Output> results;
    if (op == "AllGather") {
      results = exchange.Gather();
    } else {
      DF_ASSIGN(const std::string merge, graph_.node(id).attrs.Get<std::string>("reduction"));
      results = op == "AllReduce" ? exchange.Reduce(merge) : exchange.Scatter(merge);
    }
    DF_TRY(exchange.status());
    for (int port = 0; port < num_outputs; ++port) {
      const auto i = static_cast<size_t>(port);
      Give(id, port, Ensure(exchange, i, results[i], {id, port}));
    }
    return exchange.status();
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
    CollectiveExchange exchange(graph_, std::move(members));
    DF_ASSIGN(const std::vector<Output> results, Exchange(exchange, form, graph_.node(group[0]).attrs));
    for (size_t i = 0; i < group.size(); ++i) Give(group[i], 0, Ensure(exchange, i, results[i], {group[i], 0}));
    return exchange.status();
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
    const auto is_sender = [&](NodeId id) { return CollectiveForm(graph_.node(id)) == "BcastSend"; };
    if (std::count_if(group.begin(), group.end(), is_sender) != 1) {
      return InvalidArgument("a broadcast has one CollectiveBcastSend, this one ",
                             std::count_if(group.begin(), group.end(), is_sender));
    }
    const NodeId sender = *std::find_if(group.begin(), group.end(), is_sender);
    CollectiveMember site = SiteOf(sender);
    DF_TRY(Enter(sender, 0, site).status());
    CollectiveExchange exchange(graph_, {site});
    const Output sent = Ensure(exchange, 0, site.value, {sender, 0});
    DF_TRY(exchange.status());
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
    return graph_.TopologicalOrder().status().Annotate(
        "each participant of a collective waits for the others, and none may need what another gets");
  }

  // What is not a collective, what that needs, and collectives that are run for themselves. Of one with an output for
  // each participant, what nobody reads goes.
  std::vector<bool> Needed() const {
    AncestorWalk walk(graph_);
    for (NodeId id = 0; id < num_before_; ++id) {
      const auto made = controls_.find(id);
      if (made == controls_.end()) {
        walk.Add(id);
      } else if (!CollectiveForm(graph_.node(id)).empty() || read_.count(id) == 0) {
        for (NodeId result : made->second) walk.Add(result);
      }
    }
    while (const Node* node = walk.Next()) walk.AddSources(*node);
    return std::move(walk).added();
  }

  Graph& graph_;
  const NodeId num_before_;
  std::set<NodeId> read_;  // collectives that somebody reads or waits for
  std::map<Keys, std::vector<NodeId>> groups_;
  std::map<std::pair<NodeId, int>, Output> values_;  // an output of a collective -> what it became
  std::map<NodeId, std::vector<NodeId>> controls_;   // a collective -> the nodes that it became
};

}  // namespace

Status LowerCollectives(Graph& graph) {
  return Lowering(graph).Run();
}

REQUIRED_GRAPH_PASS("lower_collectives", 10,
                    [](Graph& graph, const PassContext& /*context*/) { return LowerCollectives(graph); });

}  // namespace dfrun
