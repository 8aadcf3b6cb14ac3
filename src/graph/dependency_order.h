// Topological order of numbered items.
#ifndef DFRUN_SRC_GRAPH_DEPENDENCY_ORDER_H_
#define DFRUN_SRC_GRAPH_DEPENDENCY_ORDER_H_

#include <cstdint>
#include <vector>

namespace dfrun {

// The items that must come before each of n items, in CSR form. Doubles are allowed.
struct Dependencies {
  std::vector<int32_t> begin = {0};  // n + 1
  std::vector<int32_t> before;

  int size() const { return static_cast<int>(begin.size()) - 1; }
  // Ends the list of the current item: later additions to `before` belong to the next one.
  void Close() { begin.push_back(static_cast<int32_t>(before.size())); }
};

struct DependencyOrder {
  std::vector<int32_t> order;  // every item after those before it, ties by number
  std::vector<int32_t> cycle;  // the items of a cycle, each before the next; `order` is then incomplete
};

DependencyOrder OrderByDependencies(const Dependencies& dependencies);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_DEPENDENCY_ORDER_H_
