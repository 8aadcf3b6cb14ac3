// Orders things that must come after others.
#ifndef DFRUN_SRC_GRAPH_DEPENDENCY_ORDER_H_
#define DFRUN_SRC_GRAPH_DEPENDENCY_ORDER_H_

#include <cstdint>
#include <vector>

namespace dfrun {

// What each of n things comes after, in CSR form. Doubles are allowed.
struct Dependencies {
  std::vector<int32_t> begin = {0};  // n + 1
  std::vector<int32_t> before;

  int size() const { return static_cast<int>(begin.size()) - 1; }
  // Ends the list of the thing at hand: what is appended to `before` next is of the next thing.
  void Close() { begin.push_back(static_cast<int32_t>(before.size())); }
};

struct DependencyOrder {
  std::vector<int32_t> order;  // every thing after those before it, ties by number
  std::vector<int32_t> cycle;  // where there is one: its things, each before the next, and `order` is incomplete
};

DependencyOrder OrderByDependencies(const Dependencies& dependencies);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_DEPENDENCY_ORDER_H_
