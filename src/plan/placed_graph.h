// A step as its graph is placed, and the groups of its tasks that may move.
#ifndef DFRUN_SRC_PLAN_PLACED_GRAPH_H_
#define DFRUN_SRC_PLAN_PLACED_GRAPH_H_

#include <vector>

#include "src/graph/graph.h"
#include "src/plan/step_graph.h"

namespace dfrun {

// Tasks that share a device and move together.
struct StepGroup {
  std::vector<int> tasks;
  int device_set = 0;  // index in PlacedGraph::device_sets: the devices that it could be on
};

struct PlacedGraph {
  StepGraph graph;
  std::vector<NodeId> nodes;   // by task
  std::vector<int> task_of;    // by node; -1: a constant, which each device has for itself
  std::vector<int> device_of;  // by task: as the graph is placed
  std::vector<StepGroup> groups;
  std::vector<std::vector<int>> device_sets;  // each in order
  std::vector<int> group_of;                  // by task; -1: it stays where it is
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PLAN_PLACED_GRAPH_H_
