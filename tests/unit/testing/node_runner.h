// Runs the kernel of one node the way a plan does, for tests of kernels.
#ifndef DFRUN_TESTS_UNIT_TESTING_NODE_RUNNER_H_
#define DFRUN_TESTS_UNIT_TESTING_NODE_RUNNER_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "src/framework/kernel/kernel_registry.h"
#include "src/graph/graph.h"
#include "tests/unit/testing/tested_device.h"

namespace dfrun::testing {

// Runs each block on a new thread, in no fixed order.
class SpreadPool final : public ThreadPool {
 public:
  explicit SpreadPool(int threads) : threads_(threads) {}
  int num_threads() const override { return threads_; }
  int ready_threads() const override { return threads_; }
  void RunBlocks(int64_t blocks, FunctionRef<void(int64_t)> body) override;

 private:
  const int threads_;
};

// An input of a node: a value, or a ref to a variable.
struct Input {
  Input(Tensor tensor) : value(std::move(tensor)) {}                                    // NOLINT: a shorthand
  Input(Variable& variable) : value(Tensor::Reference(variable.dtype(), &variable)) {}  // NOLINT: a shorthand
  Tensor value;
};

// A device with its variables, on which nodes run. Inputs and outputs are in host memory, whatever the device's is.
class NodeRunner {
 public:
  explicit NodeRunner(const std::string& device_type = TestedDeviceType());

  Device& device() { return *device_; }

  // Returns whether the device's type has a kernel for the node; true also if the node cannot be made, since running it
  // reports the error.
  bool HasKernel(const std::string& op, const AttrMap& attrs, const std::vector<Input>& inputs) const;

  // The variants in which a plan may run a node: known shapes, preallocated outputs, and several threads.
  enum class Way { kUnknownShapes, kStaticShapes, kPreallocated, kThreads };

  Result<std::vector<Tensor>> Run(Way way, const std::string& op, const AttrMap& attrs,
                                  const std::vector<Input>& inputs);
  // Returns the outputs, after a check that every variant gives the same bits. The node must not change a variable.
  Result<std::vector<Tensor>> Run(const std::string& op, const AttrMap& attrs, const std::vector<Input>& inputs);

 private:
  Result<std::vector<Tensor>> RunNode(const Graph& graph, NodeId id, Way way, const std::vector<Input>& inputs);
  // Allocates outputs of static shapes; returns which were allocated.
  Result<std::vector<bool>> Preallocate(const Node& node, const NodeInfo& info, std::vector<Tensor>& outputs);
  Status Call(Kernel& kernel, const NodeInfo& info, Way way, const std::vector<Input>& inputs,
              std::vector<Tensor>& outputs);

  const std::unique_ptr<Device> device_;
  std::vector<Tensor> buffers_;
};

// Returns a tensor of this shape and these elements.
template <class T>
Tensor Make(const Shape& shape, const std::vector<T>& values) {
  Tensor tensor(DTypeOf<T>, shape);
  EXPECT_EQ(tensor.num_elements(), static_cast<int64_t>(values.size()));
  for (size_t i = 0; i < values.size(); ++i) tensor.data<T>()[i] = values[i];
  return tensor;
}

// Expects |a - b| <= eps_count * epsilon * max(1, |b|) for every element.
template <class T>
void ExpectNear(const Tensor& actual, const std::vector<double>& expected, double eps_count) {
  ASSERT_EQ(actual.dtype(), DTypeOf<T>);
  ASSERT_EQ(actual.num_elements(), static_cast<int64_t>(expected.size()));
  const double eps = sizeof(T) == 8               ? 0x1p-52
                     : std::is_same_v<T, float>   ? 0x1p-23
                     : std::is_same_v<T, float16> ? 0x1p-10
                                                  : 0x1p-7;
  for (size_t i = 0; i < expected.size(); ++i) {
    const double value = static_cast<double>(actual.data<T>()[i]);
    EXPECT_NEAR(value, expected[i], eps_count * eps * std::max(1.0, std::abs(expected[i]))) << "element " << i;
  }
}

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_TESTING_NODE_RUNNER_H_
