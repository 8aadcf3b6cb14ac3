// The graphs of `dfrun bench dispatch`, and the bare loop that serves as their limit.
#ifndef DFRUN_JOBS_BENCH_BENCH_DISPATCH_GRAPHS_H_
#define DFRUN_JOBS_BENCH_BENCH_DISPATCH_GRAPHS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/framework/device/device_factory.h"
#include "src/framework/kernel/kernel_registry.h"
#include "src/graph/graph.h"

namespace dfrun::jobs {

// The edges of a graph. Nodes are in an order in which each follows its inputs.
struct Topology {
  std::string name;
  int32_t num_nodes = 0;
  std::vector<int32_t> inputs;  // inputs_per_node for each node; -1: none
  int inputs_per_node = 1;
};
Topology Chain(int32_t nodes);
Topology FanOut(int32_t nodes);
// Layers of `width` nodes. A node reads the node of its index in the previous layer and the next one.
Topology Layers(int32_t nodes, int32_t width);

// Returns a graph of NoOps that are joined by control edges.
Result<Graph> NoOpGraph(const Topology& topology);
// Returns a graph of scalar ops: node i has the op ops[i % size] and the topology's inputs; a constant replaces missing
// inputs. The ops have one or two inputs.
Result<Graph> ScalarGraph(const Topology& topology, const std::vector<std::string>& ops);

// The registry of one op, "Spin", that passes a scalar on after a microsecond or so of arithmetic.
const OpRegistry& SpinOps();
const KernelRegistry& SpinKernels();
Result<Graph> SpinGraph(const Topology& topology);
// Computes what a Spin does.
float Spin(float value);

// The limit: the least that running the topology can cost if nothing is known in advance. It has a queue, edges in CSR
// form and a counter per node, which is counted down atomically.
class BareLoop {
 public:
  explicit BareLoop(const Topology& topology);
  // Runs all nodes and returns their number. With `adds` each node also adds two floats.
  int64_t Run(bool adds);

 private:
  template <bool kAdds>
  int64_t RunAs();

  std::vector<int32_t> edge_begin_;
  std::vector<int32_t> edges_;
  std::vector<int32_t> initial_;
  std::vector<int32_t> pending_;
  std::vector<int32_t> queue_;
  std::vector<int32_t> inputs_;
  std::vector<float> values_;
};

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_BENCH_BENCH_DISPATCH_GRAPHS_H_
