#include "src/plan/min_cut.h"

#include <algorithm>
#include <limits>

namespace dfrun {
namespace {

// A smaller rest of a capacity comes from rounding and is no way.
constexpr double kMinFlow = 1e-9;

}  // namespace

int MinCut::AddVertex() {
  from_.emplace_back();
  return static_cast<int>(from_.size()) - 1;
}

void MinCut::AddEdge(int from, int to, double capacity) {
  from_[from].push_back(static_cast<int>(edges_.size()));
  edges_.push_back({to, capacity});
  from_[to].push_back(static_cast<int>(edges_.size()));
  edges_.push_back({from, 0});
}

double MinCut::Solve() {
  double flow = 0;
  while (FindLevels()) {
    next_.assign(from_.size(), 0);
    while (const double more = Push(kSource, std::numeric_limits<double>::infinity())) flow += more;
  }
  return flow;
}

// Sets the distances from the source in the network of what is left. Returns true if the sink is reached.
bool MinCut::FindLevels() {
  level_.assign(from_.size(), -1);
  level_[kSource] = 0;
  std::vector<int> queue = {kSource};
  for (size_t at = 0; at < queue.size(); ++at) {
    for (const int e : from_[queue[at]]) {
      const Edge& edge = edges_[e];
      if (edge.left <= kMinFlow || level_[edge.to] >= 0) continue;
      level_[edge.to] = level_[queue[at]] + 1;
      queue.push_back(edge.to);
    }
  }
  return level_[kSink] >= 0;
}

// Pushes at most `flow` to the sink along one path; its depth is the sink's level.
double MinCut::Push(int vertex, double flow) {
  if (vertex == kSink) return flow;
  for (size_t& at = next_[vertex]; at < from_[vertex].size(); ++at) {
    Edge& edge = edges_[from_[vertex][at]];
    if (edge.left <= kMinFlow || level_[edge.to] != level_[vertex] + 1) continue;
    const double pushed = Push(edge.to, std::min(flow, edge.left));
    if (pushed <= 0) continue;
    edge.left -= pushed;
    edges_[from_[vertex][at] ^ 1].left += pushed;
    return pushed;
  }
  return 0;
}

}  // namespace dfrun
