#include "src/plan/group_graph.h"

#include <algorithm>

#include "src/base/sort_unique.h"

namespace dfrun {

GroupGraph::GroupGraph(const PlacementProblem& problem)
    : successors_(problem.num_groups()), predecessors_(problem.num_groups()), neighbours_(problem.num_groups()) {
  for (int v = 0; v < problem.num_nodes(); ++v) {
    const int from = problem.nodes()[v].group;
    for (const int reader : problem.successors(v)) {
      const int to = problem.nodes()[reader].group;
      if (from == to) continue;
      successors_[from].push_back(to);
      predecessors_[to].push_back(from);
    }
  }
  for (int g = 0; g < num_groups(); ++g) {
    SortUnique(successors_[g]);
    SortUnique(predecessors_[g]);
    neighbours_[g] = successors_[g];
    neighbours_[g].insert(neighbours_[g].end(), predecessors_[g].begin(), predecessors_[g].end());
    SortUnique(neighbours_[g]);
  }
  std::vector<bool> seen(num_groups());
  for (const int v : problem.order()) {
    const int g = problem.nodes()[v].group;
    if (!seen[g]) roots_.push_back(g);
    seen[g] = true;
  }
  std::stable_partition(roots_.begin(), roots_.end(), [this](int g) { return predecessors_[g].empty(); });
}

// The reverse of the order in which a depth-first search leaves the groups.
std::vector<int> GroupGraph::DepthOrder(bool reversed) const {
  std::vector<int> left;
  std::vector<bool> entered(num_groups());
  std::vector<std::pair<int, size_t>> path;  // a group and how many of its successors were looked at
  for (size_t r = 0; r < roots_.size(); ++r) {
    const int root = roots_[reversed ? roots_.size() - 1 - r : r];
    if (entered[root]) continue;
    entered[root] = true;
    path.emplace_back(root, 0);
    while (!path.empty()) {
      auto& [group, looked_at] = path.back();
      const std::vector<int>& next = successors_[group];
      if (looked_at == next.size()) {
        left.push_back(group);
        path.pop_back();
        continue;
      }
      const int to = next[reversed ? next.size() - 1 - looked_at : looked_at];
      ++looked_at;
      if (entered[to]) continue;
      entered[to] = true;
      path.emplace_back(to, 0);
    }
  }
  std::reverse(left.begin(), left.end());
  return left;
}

// Kahn's algorithm on the edges that lead forward in DepthOrder().
std::vector<int> GroupGraph::LevelOrder() const {
  const std::vector<int> depth = DepthOrder(false);
  std::vector<int> place(num_groups());
  for (int i = 0; i < num_groups(); ++i) place[depth[i]] = i;
  std::vector<int> waits_for(num_groups());
  std::vector<int> order;
  for (const int g : depth) {
    for (const int from : predecessors_[g]) waits_for[g] += place[from] < place[g] ? 1 : 0;
    if (waits_for[g] == 0) order.push_back(g);
  }
  for (size_t at = 0; at < order.size(); ++at) {
    const int g = order[at];
    for (const int to : successors_[g]) {
      if (place[g] < place[to] && --waits_for[to] == 0) order.push_back(to);
    }
  }
  return order;
}

}  // namespace dfrun
