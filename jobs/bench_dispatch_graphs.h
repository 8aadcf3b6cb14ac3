// The graphs of `dfrun bench dispatch`, and the bare loop that they are measured against.
#ifndef DFRUN_JOBS_BENCH_DISPATCH_GRAPHS_H_
#define DFRUN_JOBS_BENCH_DISPATCH_GRAPHS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "src/framework/device_factory.h"
#include "src/framework/kernel_registry.h"
#include "src/graph/graph.h"

namespace dfrun::jobs {

// Who reads whom, nodes in an order in which each follows its inputs.
struct Topology {
  std::string name;
  int32_t num_nodes = 0;
  std::vector<int32_t> inputs;  // inputs_per_node for each node; -1: none
  int inputs_per_node = 1;
};
Topology Chain(int32_t nodes);
Topology FanOut(int32_t nodes);
// `width` nodes a layer; each reads the node of its index in the layer before and the next one.
Topology Layers(int32_t nodes, int32_t width);

// A NoOp a node, joined by control edges.
Result<Graph> NoOpGraph(const Topology& topology);
// A scalar op a node: ops[i % size] with the topology's inputs; what is missing is a constant. Ops of one or two
// inputs.
Result<Graph> ScalarGraph(const Topology& topology, const std::vector<std::string>& ops);

// One op, "Spin", that passes a scalar on after a microsecond or so of arithmetic.
const OpRegistry& SpinOps();
const KernelRegistry& SpinKernels();
Result<Graph> SpinGraph(const Topology& topology);
// What a Spin does.
float Spin(float value);

// The least that running the topology can cost where nothing is known in advance: a queue, CSR edges and a counter a
// node, counted down atomically.
class BareLoop {
 public:
  explicit BareLoop(const Topology& topology);
  // With `adds` each node also adds two floats. Returns the nodes run.
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

#endif  // DFRUN_JOBS_BENCH_DISPATCH_GRAPHS_H_
