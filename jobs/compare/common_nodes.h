// The nodes that two graphs have in common, by name, and whose values one step gives.
#ifndef DFRUN_JOBS_COMPARE_COMMON_NODES_H_
#define DFRUN_JOBS_COMPARE_COMMON_NODES_H_

#include <string>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun::jobs {

// A graph, the outputs that a step feeds, and the first values of variables, which come from elsewhere here.
struct FedGraph {
  const Graph& graph;
  std::vector<Output> fed;
  std::vector<Output> first_values = {};
};

// Whether a step can give the values of a node, by node: what it depends on is fed or is in the graph, no op of that is
// unknown, and it runs once a step, whatever conditions say.
Result<std::vector<bool>> CanBeFetched(const FedGraph& of);

// An output in both graphs.
struct CommonOutput {
  std::string name;
  Output in_a;
  Output in_b;
};

struct CommonOutputs {
  std::vector<CommonOutput> outputs;  // in a topological order of `a`
  // Nodes of the same name that are not compared: their values cannot be fetched, or are refs or handles. Nodes for the
  // first values of `a` alone do not count.
  int64_t left_out = 0;
};

// InvalidArgument for a graph with a cycle or loops that are not whole.
Result<CommonOutputs> FindCommonOutputs(const FedGraph& a, const FedGraph& b);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_COMPARE_COMMON_NODES_H_
