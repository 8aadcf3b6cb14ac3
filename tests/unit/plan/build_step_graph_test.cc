#include "src/plan/build_step_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "src/graph/graph_ops.h"

namespace dfrun {
namespace {

constexpr const char* kFirst = "/job:worker/task:0/device:cpu:0";
constexpr const char* kSecond = "/job:worker/task:1/device:cpu:0";

// loss = Sum(x * w), and w -= 0.1 * x, on two ranks: all on the first.
class BuildStepGraphTest : public testing::Test {
 protected:
  void SetUp() override {
    GraphOps ops(graph_, "", kFirst);
    w_ = ops.Add("w", "VariableV2", {}, {{"shape", Shape({4, 8})}, {"dtype", DType::kFloat}});
    x_ = ops.Add("x", "RandomUniform", {ops.Const("shape", Tensor::Vector<int32_t>({4, 8}))},
                 {{"dtype", DType::kFloat}});
    product_ = ops.Add("product", "Mul", {x_, w_});
    same_ = ops.Add("same", "Identity", {product_});
    loss_ = ops.Add("loss", "Sum", {same_, ops.Const("axes", Tensor::Vector<int32_t>({0, 1}))});
    step_ = ops.Add("step", "Mul", {x_, ops.Const("rate", Tensor::Scalar(0.1F))});
    update_ = ops.Add("update", "AssignSub", {w_, step_});
    ASSERT_TRUE(ops.status().ok()) << ops.status().ToString();
    graph_.mutable_node(update_.node).control_inputs.push_back(product_.node);
    graph_.mutable_node(update_.node).attrs.Set("_after_reads", true);
  }

  PlacedGraph Build(const std::set<std::string, std::less<>>& open) {
    Result<PlacedGraph> made = BuildStepGraph(graph_, open, *MakeCluster({}, 2), {.costs = &costs_});
    EXPECT_TRUE(made.ok()) << made.status().ToString();
    return made.ok() ? *std::move(made) : PlacedGraph();
  }
  static int Task(const PlacedGraph& step, Output of) { return step.task_of[static_cast<size_t>(of.node)]; }
  static int Group(const PlacedGraph& step, Output of) { return step.group_of[static_cast<size_t>(Task(step, of))]; }

  Graph graph_;
  CostTable costs_;
  Output w_, x_, product_, same_, loss_, step_, update_;
};

TEST_F(BuildStepGraphTest, ConstantsAreNoTasks) {
  const PlacedGraph step = Build({});
  EXPECT_EQ(step.nodes.size(), 7U);
  for (const Node& node : graph_.nodes())
    EXPECT_EQ(step.task_of[static_cast<size_t>(node.id)] < 0, node.op->name == "Const");
  EXPECT_TRUE(step.groups.empty());
}

TEST_F(BuildStepGraphTest, ValuesHaveTheirBytesAndReaders) {
  const PlacedGraph step = Build({});
  const StepGraph& graph = step.graph;
  const int x = Task(step, x_);
  ASSERT_EQ(graph.first_output[static_cast<size_t>(x) + 1] - graph.first_output[static_cast<size_t>(x)], 1);
  const int output = graph.first_output[static_cast<size_t>(x)];
  EXPECT_EQ(graph.outputs[static_cast<size_t>(output)].bytes, 4 * 8 * 4);
  EXPECT_EQ(graph.outputs[static_cast<size_t>(output)].held_bytes, 4 * 8 * 4);
  const auto readers = graph.ReadersOf(output);
  EXPECT_EQ(std::set<int>(readers.begin(), readers.end()), (std::set<int>{Task(step, product_), Task(step, step_)}));
  EXPECT_EQ(graph.state_bytes[static_cast<size_t>(Task(step, w_))], 4 * 8 * 4);
  // The view of the product takes no memory of its own, and keeps the product.
  const StepOutput& view =
      graph.outputs[static_cast<size_t>(graph.first_output[static_cast<size_t>(Task(step, same_))])];
  EXPECT_EQ(view.held_bytes, 0);
  ASSERT_GE(view.holds, 0);
  EXPECT_EQ(graph.outputs[static_cast<size_t>(view.holds)].task, Task(step, product_));
  EXPECT_EQ(graph.outputs[static_cast<size_t>(view.holds)].held_bytes, 4 * 8 * 4);
}

TEST_F(BuildStepGraphTest, AnUpdateGoesWithItsVariable) {
  const PlacedGraph step = Build({"w", "product", "same", "loss"});
  EXPECT_GE(Group(step, w_), 0);
  EXPECT_EQ(Group(step, update_), Group(step, w_));
  EXPECT_EQ(Group(step, step_), Group(step, w_));  // makes what updates the variable
  EXPECT_EQ(Group(step, same_), Group(step, product_));
  EXPECT_NE(Group(step, product_), Group(step, w_));
  EXPECT_EQ(Group(step, x_), -1);
}

TEST_F(BuildStepGraphTest, GroupsMayBeOnAllDevicesOfTheirJob) {
  const PlacedGraph step = Build({"product"});
  ASSERT_EQ(step.groups.size(), 1U);
  EXPECT_EQ(step.device_sets[static_cast<size_t>(step.groups[0].device_set)], (std::vector<int>{0, 1}));
}

TEST_F(BuildStepGraphTest, AWaitForReadsCountsOnOneDeviceAlone) {
  const PlacedGraph step = Build({});
  const int product = Task(step, product_);
  const auto& outputs = step.graph.outputs;
  const auto local = std::count_if(outputs.begin(), outputs.end(),
                                   [&](const StepOutput& output) { return output.task == product && output.is_local; });
  EXPECT_EQ(local, 1);
}

TEST_F(BuildStepGraphTest, ADeviceThatIsNotThereIsAnError) {
  graph_.mutable_node(loss_.node).device = "/job:worker/task:5/device:cpu:0";
  const Result<PlacedGraph> made = BuildStepGraph(graph_, {}, *MakeCluster({}, 2), {.costs = &costs_});
  EXPECT_EQ(made.status().code(), Code::kInvalidArgument);
  EXPECT_NE(made.status().message().find("task:5"), std::string::npos);
}

TEST_F(BuildStepGraphTest, TasksAreOnTheDevicesOfTheirNodes) {
  graph_.mutable_node(loss_.node).device = kSecond;
  const PlacedGraph step = Build({});
  EXPECT_EQ(step.device_of[static_cast<size_t>(Task(step, loss_))], 1);
  EXPECT_EQ(step.device_of[static_cast<size_t>(Task(step, x_))], 0);
}

}  // namespace
}  // namespace dfrun
