// A reference for passes that rewrite graphs: it computes a graph node by node with the kernels of this program.
#ifndef DFRUN_TESTS_UNIT_TESTING_GRAPH_EVALUATOR_H_
#define DFRUN_TESTS_UNIT_TESTING_GRAPH_EVALUATOR_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "src/framework/kernel/run_kernel.h"
#include "src/graph/graph.h"
#include "tests/unit/testing/plain_device.h"
#include "tests/unit/testing/tested_device.h"

namespace dfrun::testing {

// Holds values by node name and port. Feeds replace nodes without kernels (Placeholder, _Arg, a variable).
class GraphEvaluator {
 public:
  using Values = std::map<std::string, std::vector<Tensor>>;

  explicit GraphEvaluator(Values feeds = {});
  ~GraphEvaluator();

  // Every node that can run does, on the tested device; a _Retval's value is that of its input. _Send and _Recv meet in
  // this object, so that several graphs run to their ends if Run() is called for each in turn until none has a node
  // left. Returns how many nodes are left. An error names the node.
  Result<int> Run(const Graph& graph);

  // Runs the whole graph and returns these values.
  Result<std::vector<Tensor>> Fetch(const Graph& graph, const std::vector<Output>& fetches);

  const Values& values() const { return values_; }

 private:
  bool IsReady(const Graph& graph, const Node& node) const;
  Result<std::vector<Tensor>> RunNode(const Graph& graph, const Node& node);

  const std::unique_ptr<Device> device_ = MakeTestedDevice();
  PlainDevice host_;  // runs nodes that the tested device has no kernel for
  InlineThreadPool pool_;
  Values values_;
  std::map<int64_t, Tensor> channels_;
};

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_TESTING_GRAPH_EVALUATOR_H_
