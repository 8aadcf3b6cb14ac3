// The runs of nodes in loops, as far as constants tell.
//
// The trip count of a loop is known where its condition compares a variable that begins with a constant and to which
// each turn adds a constant, as `max_iterations` does, with a constant. A conjunction of conditions ends with the
// first.
//
// Thread safety: functions without state.
#ifndef DFRUN_SRC_GRAPH_TRIP_COUNTS_H_
#define DFRUN_SRC_GRAPH_TRIP_COUNTS_H_

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

struct TripCount {
  int64_t turns = 1;
  bool is_exact = false;  // false: there are no more turns, but another condition may end the loop before
};

// Loops by the name of their frame, on whichever device their condition is. Loops of unknown trip count are left out.
using TripCounts = std::map<std::string, TripCount, std::less<>>;

// Adds the loops whose condition is in the graph.
void FindTripCounts(const Graph& graph, TripCounts& counts);

// The runs of a node in a step.
struct NodeRuns {
  double times = 1;
  bool is_exact = true;  // false: the loop of the node is not known, or may end before
};

// Counts the runs of each node. Within a loop of unknown trip count a node counts as in one turn. What decides whether
// a loop goes on runs once more than its body.
std::vector<NodeRuns> CountRuns(const Graph& graph, const TripCounts& counts);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_TRIP_COUNTS_H_
