// The memory of the values of a graph while it runs, from static shapes alone.
#ifndef DFRUN_SRC_GRAPH_ORDER_LIVE_VALUES_H_
#define DFRUN_SRC_GRAPH_ORDER_LIVE_VALUES_H_

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

// The bytes of an output of plain dtype and static shape; 0 for others, and for references.
int64_t BytesOfOutput(const Graph& graph, Output output);

// The output whose bytes `output` shares, where its node gives its first input, or that of its number, on unchanged;
// else `output` itself.
Output OwnerOfBytes(const Graph& graph, Output output);

// The nodes for which runs[id] is true, in the order in which one thread runs them: first in, first out, as
// src/executor/planning/plan_edges.h numbers them. Nodes in or behind a cycle are left out.
std::vector<NodeId> RunOrder(const Graph& graph, const std::vector<bool>& runs);

// Sizes are in bytes. Constants count nothing: they are there before a step.
struct LiveBytes {
  int64_t small = 0;  // values that lie in the arena for the whole step
  // The most of the others that are there at a time, each from its node to its last reader. An element-wise node that
  // is the only reader of an input of as many bytes computes in its buffer.
  int64_t peak = 0;
  int64_t total() const { return small + peak; }
};

// The largest value that has its place in the arena (PlanOptions::max_arena_bytes).
inline constexpr int64_t kMaxArenaBytes = 32 << 10;

// Facts that the values of a graph do not show. Functions may be empty.
struct LiveOptions {
  std::vector<Output> kept = {};                     // stay to the end
  std::function<int64_t(const Node&)> times = {};    // values of the node that are there together: turns of a loop
  std::function<int64_t(const Node&)> scratch = {};  // bytes that the node takes while it runs
};

// The values of nodes that one thread runs in `order`.
LiveBytes LiveBytesOf(const Graph& graph, std::span<const NodeId> order, const LiveOptions& options = {});

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_ORDER_LIVE_VALUES_H_
