#include "src/training/finite_checks.h"

#include <algorithm>
#include <map>
#include <utility>

#include "src/graph/colocation_head.h"
#include "src/graph/update_gate.h"

namespace dfrun {
namespace {

// Values that one node looks at are still in a core's cache when the last of them has been made.
constexpr int64_t kGroupBytes = int64_t{256} << 10;

// Values of one device, by their index.
using Group = std::vector<size_t>;

class SiteChecks {
 public:
  SiteChecks(Graph& graph, const CheckedValues& checked) : graph_(graph), checked_(checked) {}

  // `at`: the node beside which the site's finding is put together.
  Result<Output> Add(NodeId at) {
    std::vector<Group> groups = FindGroups();
    const auto is_here = [&](const Group& group) {
      return graph_.node(At(group[0])).device == graph_.node(at).device;
    };
    // One group needs no other node.
    if (groups.size() == 2 && is_here(groups[1])) {
      groups[0].insert(groups[0].end(), groups[1].begin(), groups[1].end());
      groups.pop_back();
    }
    std::vector<Output> found;
    for (size_t i = 1; i < groups.size(); ++i) {
      DF_ASSIGN(const Output of_group, Find("finite_part", groups[i], {}, At(groups[i][0])));
      found.push_back(of_group);
    }
    return Find("finite", groups[0], found, at);
  }

 private:
  // The loss first, then the others in the order in which the backward pass makes them.
  std::vector<Group> FindGroups() const {
    std::vector<size_t> order;
    for (size_t i = 1; i < checked_.values.size(); ++i) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return Value(a).node < Value(b).node; });
    std::vector<Group> groups = {{0}};
    std::map<std::string, std::pair<size_t, int64_t>> open;  // by device: the group, and its bytes
    for (const size_t i : order) {
      const int64_t bytes = Bytes(Value(i));
      const std::string& device = graph_.node(At(i)).device;
      auto [group, is_new] = open.try_emplace(device, groups.size(), 0);
      if (is_new || group->second.second + bytes > kGroupBytes) {
        group->second = {groups.size(), 0};
        groups.emplace_back();
      }
      groups[group->second.first].push_back(i);
      group->second.second += bytes;
    }
    return groups;
  }

  Output Value(size_t i) const { return checked_.values[i].value; }

  // The node beside which a value is checked: one that is where the value is made, since its finding then travels with
  // the value and not back and forth.
  NodeId At(size_t i) const {
    const Node& maker = HeadOfColocation(graph_, graph_.node(Value(i).node));
    return maker.device.empty() ? checked_.values[i].at : maker.id;
  }

  // Size of a value in bytes. A value of unknown shape counts as a whole group, so that it stands alone.
  int64_t Bytes(Output value) const {
    const PartialShape& shape = graph_.shape(value);
    if (!shape.IsFullyDefined()) return kGroupBytes;
    return shape.num_elements() * static_cast<int64_t>(DTypeSize(graph_.dtype(value)));
  }

  // Adds a node that checks the group, and takes over the findings of others.
  Result<Output> Find(const std::string& name, const Group& group, const std::vector<Output>& found, NodeId at) {
    std::vector<Output> values;
    std::vector<int64_t> numbers;
    for (const size_t i : group) {
      values.push_back(Value(i));
      numbers.push_back(checked_.values[i].number);
    }
    values.insert(values.end(), found.begin(), found.end());
    numbers.resize(values.size(), 0);
    GraphOps ops(graph_, "train", graph_.node(at).device);
    const Output node = ops.Add(name, kFirstNotFiniteOp, std::move(values), {{"numbers", std::move(numbers)}});
    DF_TRY(ops.status());
    if (graph_.node(at).device.empty()) graph_.mutable_node(node.node).colocate_with = graph_.node(at).name;
    return node;
  }

  Graph& graph_;
  const CheckedValues& checked_;
};

}  // namespace

Result<std::vector<Output>> AddFiniteChecks(JobGraphDraft& draft) {
  std::vector<Output> found;
  for (const CheckedValues& checked : draft.checked) {
    const bool is_at_loss = found.empty() && draft.replicated.empty();
    const NodeId at = is_at_loss ? draft.loss.node : checked.values[1].at;
    DF_ASSIGN(const Output here, SiteChecks(draft.job.graph, checked).Add(at));
    found.push_back(here);
  }
  return found;
}

}  // namespace dfrun
