// Ops and kernels of a private registry, and a graph built from them, for tests of the executor.
//
// All values are float32. Ops: _Arg, _Retval, NoOp, Fixed (attr value), Add, Sub, Mul (like shapes or a scalar), AddN,
// Negate, Share (its output is its input), Later (asynchronous; its output is its input), Fail, Work (passes its input
// on after attr ns of spinning; attr expensive), Var and ReadVar (refs), ChangeVar (adds its input to a ref), Blocks
// (expensive; sums 0..n-1 with RunBlocks, fails below 0), Release (asks whether input 0 may be forwarded: output 1 or
// 0).
#ifndef DFRUN_TESTS_SUBGRAPH_EXECUTOR_TEST_NODES_H_
#define DFRUN_TESTS_SUBGRAPH_EXECUTOR_TEST_NODES_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "src/executor/executor.h"

namespace dfrun::testing {

const OpRegistry& TestOps();
const KernelRegistry& TestKernels();

// The action of Later kernels on their callbacks; the default runs each at once. Set while no step runs. The function
// gets a closure that ends the kernel with a status. It must be called once, on any thread.
using Finish = std::function<void(Status)>;
void SetLater(std::function<void(Finish)> later);

// A device whose allocator counts.
class CountingAllocator;
class TestDevice {
 public:
  TestDevice();
  ~TestDevice();
  Device& get() { return *device_; }
  int64_t bytes_in_use() const;
  int64_t peak_bytes() const;

 private:
  std::unique_ptr<CountingAllocator> allocator_;
  std::unique_ptr<Device> device_;
};

// Builds a graph node by node; an error fails the test and dies.
class TestGraph {
 public:
  TestGraph() : graph_(TestOps()) {}
  Graph& graph() { return graph_; }

  NodeId Add(const std::string& op, const std::vector<Output>& inputs, AttrMap attrs = {},
             const std::vector<NodeId>& control = {});
  Output Fixed(const Tensor& value) { return {Add("Fixed", {}, {{"value", value}}), 0}; }
  Output Feed(int index, PartialShape shape);
  // Fetches the value under the next free index.
  void Fetch(Output value);
  int num_fetches() const { return fetches_; }

 private:
  Graph graph_;
  int fetches_ = 0;
};

// Makes a plan; an error fails the test.
std::unique_ptr<ExecPlan> MakePlan(const Graph& graph, TestDevice& device, const PlanOptions& options = {});

// Returns a vector of `n` elements of `value`.
Tensor Filled(int64_t n, float value);

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_SUBGRAPH_EXECUTOR_TEST_NODES_H_
