#include "src/plan/step_groups.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "src/base/disjoint_sets.h"
#include "src/placement/colocation_groups.h"

namespace dfrun {
namespace {

class StepGroupFinder {
 public:
  StepGroupFinder(const Graph& placed, const std::set<std::string, std::less<>>& open, const Cluster& cluster,
                  bool keeps_types, PlacedGraph& step)
      : placed_(placed),
        open_(open),
        cluster_(cluster),
        keeps_types_(keeps_types),
        step_(step),
        united_(step.nodes.size()) {}

  Status Find() {
    DF_TRY(UniteColocated());
    DF_ASSIGN(const std::vector<NodeId> order, placed_.TopologicalOrder());
    for (const NodeId id : order) {
      UnitePassing(placed_.node(id));
      UniteWithUpdates(placed_.node(id));
    }
    AttachToVariables(order);
    MakeGroups();
    return Status();
  }

 private:
  static constexpr int kNone = -1;

  int Task(NodeId id) const { return step_.task_of[static_cast<size_t>(id)]; }
  int Root(int task) const { return united_.Root(task); }
  void Unite(int a, int b) {
    const int from = Root(b);
    const int to = Root(a);
    if (from == to) return;
    united_.Unite(to, from);
    is_open_[static_cast<size_t>(to)] = is_open_[static_cast<size_t>(to)] || is_open_[static_cast<size_t>(from)];
    has_state_[static_cast<size_t>(to)] = has_state_[static_cast<size_t>(to)] || has_state_[static_cast<size_t>(from)];
  }

  Status UniteColocated() {
    const size_t tasks = step_.nodes.size();
    is_open_.resize(tasks);
    has_state_.resize(tasks);
    DF_ASSIGN(const ColocationGroups groups, ColocationGroups::Create(placed_, /*soft=*/true));
    for (size_t task = 0; task < tasks; ++task) {
      const Node& node = placed_.node(step_.nodes[task]);
      is_open_[task] = open_.contains(node.name);
      has_state_[task] = node.op->traits.is_variable;
    }
    for (size_t task = 0; task < tasks; ++task) {
      const int root = Task(groups.Root(step_.nodes[task]));
      if (root != kNone) Unite(root, static_cast<int>(task));
    }
    return Status();
  }

  // A node that passes a value on, or describes it, stays with the node that makes it.
  void UnitePassing(const Node& node) {
    const int task = Task(node.id);
    if (task == kNone || !node.op->traits.follows_first_input || node.num_inputs() == 0) return;
    const int maker = node.inputs[0].valid() ? Task(node.inputs[0].node) : kNone;
    if (maker == kNone) return;
    const bool both = is_open_[static_cast<size_t>(Root(task))] && is_open_[static_cast<size_t>(Root(maker))];
    if (both && !has_state_[static_cast<size_t>(Root(maker))]) Unite(maker, task);
  }

  // A node that reads what an update gives stays with the variable: from elsewhere it would have to be sent before the
  // next update, of which the reader may want the value too.
  void UniteWithUpdates(const Node& node) {
    const int task = Task(node.id);
    for (const Output input : node.inputs) {
      if (task == kNone || !input.valid() || !placed_.is_ref(input)) continue;
      const int maker = Task(input.node);
      if (maker == kNone || placed_.node(input.node).op->traits.is_variable) continue;
      const bool both = is_open_[static_cast<size_t>(Root(task))] && is_open_[static_cast<size_t>(Root(maker))];
      Unite(maker, task);
      if (!both) is_open_[static_cast<size_t>(Root(task))] = false;
    }
  }

  // A node that is not open goes along with a variable where it is on its device, and serves no other: it makes what
  // updates the variable. The nodes behind come first.
  void AttachToVariables(const std::vector<NodeId>& order) {
    constexpr int kPasses = 3;
    const Consumers consumers = placed_.BuildConsumers();
    for (int pass = 0; pass < kPasses; ++pass) {
      for (size_t i = order.size(); i-- > 0;) {
        const int task = Task(order[i]);
        if (task == kNone || is_open_[static_cast<size_t>(Root(task))]) continue;
        const int variable = OnlyVariable(order[i], consumers);
        if (variable != kNone) Unite(variable, task);
      }
    }
  }

  // The one group with a variable among the neighbours on the node's device; kNone: there is none, or several, or other
  // nodes that may move read the node.
  int OnlyVariable(NodeId id, const Consumers& consumers) {
    int only = kNone;
    bool is_one = true;
    const auto look = [&](NodeId other) {
      const int task = Task(other);
      if (task == kNone || step_.device_of[static_cast<size_t>(task)] != step_.device_of[static_cast<size_t>(Task(id))])
        return;
      const int root = Root(task);
      if (!is_open_[static_cast<size_t>(root)] || !has_state_[static_cast<size_t>(root)]) return;
      is_one = is_one && (only == kNone || only == root);
      only = root;
    };
    for (const Consumers::Edge& edge : consumers.of(id)) {
      look(edge.node);
      const int task = Task(edge.node);
      const int root = task == kNone ? kNone : Root(task);
      if (root != kNone && is_open_[static_cast<size_t>(root)] && !has_state_[static_cast<size_t>(root)])
        is_one = false;
    }
    for (const Output input : placed_.node(id).inputs) {
      if (input.valid()) look(input.node);
    }
    for (const NodeId input : placed_.node(id).control_inputs) look(input);
    return is_one ? only : kNone;
  }

  void MakeGroups() {
    std::map<int, int> group_of_root;
    step_.group_of.assign(step_.nodes.size(), kNone);
    for (size_t task = 0; task < step_.nodes.size(); ++task) {
      const int root = Root(static_cast<int>(task));
      if (!is_open_[static_cast<size_t>(root)]) continue;
      const auto [found, is_new] = group_of_root.emplace(root, static_cast<int>(step_.groups.size()));
      if (is_new) step_.groups.emplace_back();
      step_.group_of[task] = found->second;
      step_.groups[static_cast<size_t>(found->second)].tasks.push_back(static_cast<int>(task));
    }
    for (StepGroup& group : step_.groups) group.device_set = DevicesFor(group);
  }

  // The set of the devices of the group's job on which each of its tasks has a kernel.
  int DevicesFor(const StepGroup& group) {
    const int own = step_.device_of[static_cast<size_t>(group.tasks[0])];
    const ClusterDevice& here = cluster_.devices[static_cast<size_t>(own)];
    std::vector<bool> types(static_cast<size_t>(step_.graph.num_types), true);
    for (size_t type = 0; type < types.size(); ++type) {
      for (const int task : group.tasks)
        types[type] =
            types[type] && step_.graph.seconds[static_cast<size_t>(task) * types.size() + type] != StepGraph::kNever;
      if (keeps_types_) types[type] = static_cast<int>(type) == step_.graph.devices[static_cast<size_t>(own)].type;
    }
    const auto [found, is_new] =
        sets_.emplace(std::pair(*here.name.job, types), static_cast<int>(step_.device_sets.size()));
    if (!is_new) return found->second;
    std::vector<int>& devices = step_.device_sets.emplace_back();
    for (size_t d = 0; d < cluster_.devices.size(); ++d) {
      if (cluster_.devices[d].name.job == here.name.job && types[static_cast<size_t>(step_.graph.devices[d].type)])
        devices.push_back(static_cast<int>(d));
    }
    return found->second;
  }

  const Graph& placed_;
  const std::set<std::string, std::less<>>& open_;
  const Cluster& cluster_;
  const bool keeps_types_;
  PlacedGraph& step_;
  DisjointSets united_;  // sets of tasks
  std::vector<bool> is_open_;
  std::vector<bool> has_state_;
  std::map<std::pair<std::string, std::vector<bool>>, int> sets_;
};

}  // namespace

Status FindStepGroups(const Graph& placed, const std::set<std::string, std::less<>>& open, const Cluster& cluster,
                      bool keeps_types, PlacedGraph& step) {
  return StepGroupFinder(placed, open, cluster, keeps_types, step).Find();
}

}  // namespace dfrun
