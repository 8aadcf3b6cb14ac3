// Runs a spec and another spec, or a graph, with the same values, and finds the first node where they differ.
#ifndef DFRUN_JOBS_COMPARE_COMPARE_GRAPHS_H_
#define DFRUN_JOBS_COMPARE_COMPARE_GRAPHS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/base/status.h"

namespace dfrun::jobs {

struct GraphComparison {
  std::string a;                        // a spec
  std::string b;                        // a spec, or a graph as LoadRunnable() reads it
  std::vector<std::string> sets = {};   // values for params of specs
  std::vector<std::string> feeds = {};  // texts for ReadFeeds(), for each graph that has the name
  std::vector<std::string> allow_paths = {};
  int64_t ulps = 0;  // distances up to this are none
};

// Runs one step of each graph, as it is written, without passes. The variables of `b` get the values that those of the
// same names in `a` have at first, and its inputs the first batch of those of `a`. Then all nodes of the same name are
// compared, but for those in loops and branches, in a topological order of `a`. Prints a table of those that differ,
// the first of them first. Returns 0 where none does, 1 where one does. Usage error where no node can be compared.
// Blocks: until both steps have ended.
Result<int> CompareGraphs(const GraphComparison& comparison);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_COMPARE_COMPARE_GRAPHS_H_
