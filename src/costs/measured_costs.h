// Measured costs of nodes, from the traces of a run and the graphs that it ran.
#ifndef DFRUN_SRC_COSTS_MEASURED_COSTS_H_
#define DFRUN_SRC_COSTS_MEASURED_COSTS_H_

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "src/costs/cost_table.h"
#include "src/graph/graph.h"

namespace dfrun {

// Seconds of a node in each traced step, by the names of its device and itself.
using TracedTimes = std::map<std::pair<std::string, std::string>, std::vector<double>>;

// Reads trace/rank-0.json and so on of a run directory (src/session/trace/chrome_trace.h writes them). Left out are the
// nodes that hold no thread while they wait: their slices are no work. NoInput where the run has no trace. Lines that
// are no slices of nodes are passed over.
// Thread safety: any thread. Blocks: on the files.
Result<TracedTimes> ReadTracedTimes(const std::string& run);

// Joins times with the nodes that took them.
// Thread safety: as a standard container.
class MeasuredCosts {
 public:
  explicit MeasuredCosts(TracedTimes times) : times_(std::move(times)) {}

  // Takes the times of the nodes of the part of a step that a device runs. A node that an earlier graph has taken keeps
  // its place. Nodes that send, receive or wait for others are left out. The graph must outlive the object.
  void Add(const Graph& graph, const std::string& device);

  // Traced nodes, and those of them that a graph has.
  size_t num_traced() const { return times_.size(); }
  size_t num_nodes() const { return nodes_.size(); }

  // Sets the measured cost of each key to the median of all times of all nodes that have the key. Returns the number of
  // keys.
  size_t MergeInto(CostTable& table) const;

  // Predictions beside the medians of the nodes' times.
  struct Comparison {
    double median_error = 0;  // median over the nodes of |predicted - traced| / traced
    double predicted_s = 0;   // sum of all nodes
    double traced_s = 0;
  };
  Comparison Compare(const CostTable& table) const;

 private:
  struct TracedNode {
    const Graph* graph;
    NodeId id;
    std::string device_type;
    const std::vector<double>* seconds;
  };

  TracedTimes times_;
  std::map<std::pair<std::string, std::string>, TracedNode> nodes_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_COSTS_MEASURED_COSTS_H_
