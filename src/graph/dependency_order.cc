#include "src/graph/dependency_order.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <span>

namespace dfrun {
namespace {

std::span<const int32_t> Of(const Dependencies& d, int32_t i) {
  return {d.before.data() + d.begin[i], static_cast<size_t>(d.begin[i + 1] - d.begin[i])};
}

bool IsInOrder(const Dependencies& d) {
  for (int32_t i = 0; i < d.size(); ++i) {
    for (int32_t before : Of(d, i)) {
      if (before >= i) return false;
    }
  }
  return true;
}

// The reverse: for each item, those that come after it.
Dependencies Reversed(const Dependencies& d) {
  Dependencies out;
  out.begin.assign(d.begin.size(), 0);
  for (int32_t before : d.before) ++out.begin[before + 1];
  std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
  out.before.resize(d.before.size());
  std::vector<int32_t> at(out.begin.begin(), out.begin.end() - 1);
  for (int32_t i = 0; i < d.size(); ++i) {
    for (int32_t before : Of(d, i)) out.before[at[before]++] = i;
  }
  return out;
}

// Walks backwards among the items that still wait: each waits for another of them, so the walk must close. The cycle
// begins with its least number.
std::vector<int32_t> FindCycle(const Dependencies& d, const std::vector<int32_t>& pending) {
  const auto waits = [&](int32_t i) { return pending[i] > 0; };
  std::vector<int32_t> step(pending.size(), -1);
  std::vector<int32_t> walk;
  auto at = static_cast<int32_t>(std::find_if(pending.begin(), pending.end(), [](int32_t p) { return p > 0; }) -
                                 pending.begin());
  while (step[at] < 0) {
    step[at] = static_cast<int32_t>(walk.size());
    walk.push_back(at);
    const std::span<const int32_t> before = Of(d, at);
    at = *std::find_if(before.begin(), before.end(), waits);
  }
  std::vector<int32_t> cycle(walk.begin() + step[at], walk.end());
  std::reverse(cycle.begin(), cycle.end());
  std::rotate(cycle.begin(), std::min_element(cycle.begin(), cycle.end()), cycle.end());
  return cycle;
}

}  // namespace

DependencyOrder OrderByDependencies(const Dependencies& d) {
  DependencyOrder out;
  if (IsInOrder(d)) {  // the order with ties by number is then that of the numbers
    out.order.resize(static_cast<size_t>(d.size()));
    std::iota(out.order.begin(), out.order.end(), 0);
    return out;
  }
  const Dependencies after = Reversed(d);
  std::vector<int32_t> pending(static_cast<size_t>(d.size()));
  std::priority_queue<int32_t, std::vector<int32_t>, std::greater<>> ready;
  for (int32_t i = 0; i < d.size(); ++i) {
    pending[i] = static_cast<int32_t>(Of(d, i).size());
    if (pending[i] == 0) ready.push(i);
  }
  while (!ready.empty()) {
    const int32_t i = ready.top();
    ready.pop();
    out.order.push_back(i);
    for (int32_t next : Of(after, i)) {
      if (--pending[next] == 0) ready.push(next);
    }
  }
  if (out.order.size() != pending.size()) out.cycle = FindCycle(d, pending);
  return out;
}

}  // namespace dfrun
