#include "src/graph/order/participants.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "src/graph/dependency_order.h"

namespace dfrun {
namespace {

using Groups = std::map<int64_t, std::vector<NodeId>>;

// One call of OrderWithParticipants(). Items: the nodes, then for each group one that comes before its participants and
// one that comes after them.
class Ordering {
 public:
  Ordering(const Graph& graph, const Groups& groups) : graph_(graph) {
    for (const auto& [number, group] : groups) {
      for (NodeId id : group) group_of_.emplace(id, static_cast<int>(groups_.size()));
      groups_.push_back(&group);
    }
  }

  Result<std::vector<NodeId>> Find() {
    for (const Node& node : graph_.nodes()) AddNode(node);
    for (const std::vector<NodeId>* group : groups_) {
      for (NodeId id : *group) AddSources(graph_.node(id));
      needs_.Close();
      needs_.before.insert(needs_.before.end(), group->begin(), group->end());
      needs_.Close();
    }
    DependencyOrder found = OrderByDependencies(needs_);
    const auto is_no_node = [this](int32_t item) { return item >= graph_.num_nodes(); };
    std::erase_if(found.order, is_no_node);
    std::erase_if(found.cycle, is_no_node);
    if (found.cycle.empty()) return std::move(found.order);
    return InvalidArgument(graph_.Describe(found.cycle[0]),
                           " waits for itself: each participant of a collective waits ",
                           "for the others, and none may need what another gets");
  }

 private:
  int32_t Before(int group) const { return graph_.num_nodes() + 2 * group; }
  int32_t After(int group) const { return Before(group) + 1; }

  void AddSource(NodeId source) {
    needs_.before.push_back(source);
    if (const auto found = group_of_.find(source); found != group_of_.end()) {
      needs_.before.push_back(After(found->second));
    }
  }
  void AddSources(const Node& node) {
    for (int i = 0; i < node.num_inputs(); ++i) {
      if (node.inputs[i].valid() && !graph_.IsBackEdge(node, i)) AddSource(node.inputs[i].node);
    }
    for (NodeId control : node.control_inputs) AddSource(control);
  }
  void AddNode(const Node& node) {
    AddSources(node);
    if (const auto found = group_of_.find(node.id); found != group_of_.end()) {
      needs_.before.push_back(Before(found->second));
    }
    needs_.Close();
  }

  const Graph& graph_;
  std::vector<const std::vector<NodeId>*> groups_;
  std::unordered_map<NodeId, int> group_of_;
  Dependencies needs_;
};

}  // namespace

bool IsParticipant(const Node& node) {
  return IsParticipantOp(node.op->name);
}

Result<Groups> FindParticipants(const Graph& graph) {
  std::map<int64_t, std::vector<std::pair<int64_t, NodeId>>> found;
  for (const Node& node : graph.nodes()) {
    if (!IsParticipant(node)) continue;
    DF_ASSIGN(const int64_t group, node.attrs.Get<int64_t>("group"));
    DF_ASSIGN(const int64_t index, node.attrs.Get<int64_t>("index"));
    found[group].emplace_back(index, node.id);
  }
  Groups groups;
  for (auto& [number, members] : found) {
    std::sort(members.begin(), members.end());
    for (const auto& [index, id] : members) groups[number].push_back(id);
  }
  return groups;
}

Result<std::vector<NodeId>> OrderWithParticipants(const Graph& graph) {
  DF_ASSIGN(const Groups groups, FindParticipants(graph));
  if (groups.empty()) return graph.TopologicalOrder();
  return Ordering(graph, groups).Find();
}

}  // namespace dfrun
