#include <gtest/gtest.h>

#include <random>
#include <set>

#include "src/passes/prune.h"
#include "tests/unit/testing/graph_evaluator.h"
#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/plain_device.h"
#include "tests/unit/testing/run_pass.h"

namespace dfrun {
namespace {

using testing::GraphEvaluator;
using testing::GraphMaker;
using testing::PlainDevice;

class OptimizeTest : public ::testing::Test {
 protected:
  GraphMaker m;

  void Fold(int64_t max_bytes = 1 << 20) {
    const Status status = testing::RunPass("constant_folding", m.graph, max_bytes);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
  void Merge() {
    const Status status = testing::RunPass("common_subexpressions", m.graph);
    EXPECT_TRUE(status.ok()) << status.ToString();
  }
  Output AddOn(const std::string& name, const std::string& op, std::vector<Output> inputs, const std::string& device,
               std::vector<NodeId> control = {}) {
    NodeSpec spec;
    spec.name = name;
    spec.op = op;
    spec.inputs = std::move(inputs);
    spec.device = device;
    spec.control_inputs = std::move(control);
    return m.Add(spec);
  }
  // Returns the names of a node's inputs.
  std::vector<std::string> InputsOf(const std::string& name) const {
    std::vector<std::string> names;
    for (Output input : m.graph.node(m.graph.Find(name)).inputs) names.push_back(OutputName(m.graph, input));
    return names;
  }
  bool Has(const std::string& name) const { return m.graph.Find(name) >= 0; }
  const Node& node(const std::string& name) const { return m.graph.node(m.graph.Find(name)); }
};

using FoldTest = OptimizeTest;
using MergeTest = OptimizeTest;

TEST_F(OptimizeTest, WhatIsOnlyAwaitedIsNotComputed) {
  const Output x = m.Placeholder("x", PartialShape({2}));
  const Output first = m.Add("first", "Neg", {x});
  const Output second = m.Add("second", "Exp", {first});
  const Output noise =
      m.Add("noise", "RandomUniform", {m.Const("shape", Tensor::Vector<int32_t>({2}))}, {{"dtype", DType::kFloat}});
  AddOn("group", "NoOp", {}, "", {second.node, noise.node});
  AddOn("end", "Identity", {x}, "", {m.graph.Find("group")});
  m.Add("unread", "Neg", {x});
  ASSERT_TRUE(testing::RunPass("dependency_pruning", m.graph).ok());
  EXPECT_EQ(node("first").op->name, "NoOp");  // its only reader was removed
  EXPECT_EQ(node("second").op->name, "NoOp");
  EXPECT_EQ(node("second").control_inputs, std::vector<NodeId>{first.node});
  EXPECT_EQ(node("second").num_outputs(), 0);
  EXPECT_EQ(node("first").control_inputs, std::vector<NodeId>{x.node});
  EXPECT_EQ(node("noise").op->name, "RandomUniform");  // its generator moves on
  EXPECT_EQ(node("unread").op->name, "Neg");           // a run may ask for it
  EXPECT_EQ(node("end").op->name, "Identity");
}

TEST_F(FoldTest, ConstantSubgraphsBecomeOneConst) {
  const Output x = m.Placeholder("x", PartialShape::Scalar());
  const Output three = m.Add("three", "Add", {m.Scalar("one", 1.0), m.Scalar("two", 2.0)});
  m.Add("end", "Mul", {m.Add("minus_three", "Neg", {three}), x});
  Fold();
  EXPECT_EQ(m.graph.num_nodes(), 3);
  ASSERT_EQ(node("minus_three").op->name, "Const");
  EXPECT_EQ(node("minus_three").attrs.Get<Tensor>("value")->scalar<double>(), -3.0);
  EXPECT_EQ(InputsOf("end"), (std::vector<std::string>{"minus_three", "x"}));
}

TEST_F(FoldTest, EachOutputThatIsReadBecomesAConst) {
  const Output x = m.Placeholder("x", PartialShape::Scalar());
  const Output both = m.Add("both", "IdentityN", {m.Scalar("a", 1.0), m.Scalar("b", 2.0), m.Scalar("c", 3.0)});
  m.Add("end", "Mul", {{both.node, 1}, x});
  Fold();
  EXPECT_EQ(InputsOf("end")[0], "both/_1");
  EXPECT_EQ(node("both/_1").attrs.Get<Tensor>("value")->scalar<double>(), 2.0);
  EXPECT_FALSE(Has("both"));
  EXPECT_FALSE(Has("c"));
}

TEST_F(FoldTest, StaticShapesAreConstantAndWhatTheyWereTakenFromGoes) {
  const Output x = m.Placeholder("x", {2, 3});
  const Output shape = m.Add("shape", "Shape", {m.Add("costly", "Neg", {x})});
  m.Add("end", "Neg", {shape});
  Fold();
  ASSERT_EQ(node("end").op->name, "Const");
  EXPECT_EQ(node("end").attrs.Get<Tensor>("value")->ToString(), Tensor::Vector<int32_t>({-2, -3}).ToString());
  EXPECT_FALSE(Has("costly"));
}

TEST_F(FoldTest, LargeResultsStayComputed) {
  m.Add("end", "Neg", {m.Add("large", "Neg", {m.Const("c", Tensor(DType::kDouble, Shape({1000})))})});
  Fold(1000);
  EXPECT_EQ(node("large").op->name, "Neg");
}

TEST_F(FoldTest, NodesWithControlInputsStay) {
  const Output x = m.Placeholder("x");
  AddOn("end", "Neg", {AddOn("waits", "Neg", {m.Scalar("a", 1.0)}, "", {x.node})}, "");
  Fold();
  EXPECT_EQ(node("waits").op->name, "Neg");
  EXPECT_EQ(node("waits").control_inputs.size(), 1U);
}

TEST_F(FoldTest, WhatIsKnownAheadStillWaitsForWhatItWasTakenFrom) {
  const Output x = m.Placeholder("x");
  const Output late =
      AddOn("late", "Fill", {m.Const("sizes", Tensor::Vector<int32_t>({2})), m.Scalar("a", 1.0)}, "", {x.node});
  const Output shape = m.Add("shape", "Shape", {late});
  AddOn("end", "Neg", {m.Scalar("b", 1.0)}, "", {m.Add("rank", "Size", {shape}).node});
  Fold();
  ASSERT_EQ(node("rank").op->name, "Const");
  ASSERT_EQ(node("rank").control_inputs.size(), 1U);
  const Node& before = m.graph.node(node("rank").control_inputs[0]);
  EXPECT_EQ(before.name, "shape");
  EXPECT_EQ(before.op->name, "Const");
  ASSERT_EQ(before.control_inputs.size(), 1U);
  EXPECT_EQ(m.graph.node(before.control_inputs[0]).name, "late");
  EXPECT_EQ(node("end").control_inputs.size(), 1U);
}

TEST_F(FoldTest, NodesOfAnotherTypeOfDeviceStay) {
  m.Add("end", "Neg", {AddOn("on_gpu", "Neg", {m.Scalar("a", 1.0)}, "/device:gpu:0")});
  Fold();
  EXPECT_EQ(node("on_gpu").op->name, "Neg");
}

TEST_F(FoldTest, StatefulNodesStayEvenUnread) {
  const Output v = m.Add("v", "VariableV2", {}, {{"dtype", DType::kDouble}, {"shape", PartialShape{2}}});
  m.Add("set", "Assign", {v, m.Const("c", Tensor(DType::kDouble, Shape({2})))});
  m.Add("end", "Shape", {{m.graph.Find("set"), 0}});
  Fold();
  EXPECT_TRUE(Has("set"));
}

TEST_F(MergeTest, EqualNodesBecomeOneAndSoDoTheirReaders) {
  const Output x = m.Placeholder("x");
  const Output a = m.Add("a", "Neg", {m.Add("i", "Neg", {x})});
  const Output b = m.Add("b", "Neg", {m.Add("j", "Neg", {x})});
  m.Add("end", "Sub", {a, b});
  Merge();
  EXPECT_FALSE(Has("j"));
  EXPECT_FALSE(Has("b"));
  EXPECT_EQ(InputsOf("end"), (std::vector<std::string>{"a", "a"}));
}

TEST_F(MergeTest, CommutativeOpsAreEqualInEitherOrder) {
  const Output x = m.Placeholder("x");
  const Output y = m.Placeholder("y");
  m.Add("end", "IdentityN",
        {m.Add("xy", "Mul", {x, y}), m.Add("yx", "Mul", {y, x}), m.Add("d", "Sub", {x, y}), m.Add("e", "Sub", {y, x})});
  Merge();
  EXPECT_EQ(InputsOf("end"), (std::vector<std::string>{"xy", "xy", "d", "e"}));
}

TEST_F(MergeTest, ConstsAreEqualByDtypeShapeAndBits) {
  m.Add("end", "IdentityN",
        {m.Scalar("a", 0.0), m.Scalar("b", 0.0), m.Scalar("c", -0.0), m.Scalar<float>("d", 0),
         m.Const("e", Tensor::Vector<double>({0.0}))});
  Merge();
  EXPECT_EQ(InputsOf("end"), (std::vector<std::string>{"a", "a", "c", "d", "e"}));
}

TEST_F(MergeTest, AttrsDevicesAndControlInputsKeepNodesApart) {
  const Output x = m.Placeholder("x", {2, 2});
  const Output y = m.Placeholder("y", {2, 2});
  std::vector<Output> all = {m.Add("a", "MatMul", {x, y}), m.Add("b", "MatMul", {x, y}, {{"transpose_a", true}}),
                             AddOn("c", "MatMul", {x, y}, "/job:ps"), AddOn("d", "MatMul", {x, y}, "", {y.node}),
                             AddOn("e", "MatMul", {x, y}, "", {y.node})};
  m.Add("end", "IdentityN", all);
  Merge();
  EXPECT_EQ(InputsOf("end"), (std::vector<std::string>{"a", "b", "c", "d", "d"}));
}

TEST_F(MergeTest, StatefulNodesAndReadersOfRefsAreNotMerged) {
  const AttrMap attrs = {{"dtype", DType::kDouble}, {"shape", PartialShape{2}}};
  const Output v = m.Add("v", "VariableV2", {}, attrs);
  const Output w = m.Add("w", "VariableV2", {}, attrs);
  m.Add("end", "Sub", {m.Add("a", "Neg", {v}), m.Add("b", "Neg", {w})});
  Merge();
  EXPECT_EQ(InputsOf("end"), (std::vector<std::string>{"a", "b"}));
}

TEST_F(MergeTest, ControlEdgesAndColocationFollow) {
  const Output x = m.Placeholder("x");
  m.Add("a", "Neg", {x});
  const Output b = m.Add("b", "Neg", {x});
  NodeSpec spec;
  spec.name = "end";
  spec.op = "NoOp";
  spec.control_inputs = {b.node};
  spec.colocate_with = "b";
  m.Add(spec);
  Merge();
  EXPECT_EQ(node("end").control_inputs, std::vector<NodeId>{m.graph.Find("a")});
  EXPECT_EQ(node("end").colocate_with, "a");
}

// Random graphs: the same bits with and without the passes.
TEST(PipelineTest, KeepsEveryBit) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    std::mt19937_64 random(seed);
    GraphMaker m;
    std::vector<Output> values = {m.Placeholder("x", PartialShape{2})};
    const Tensor fed = Tensor::Vector<double>({1.25, -0.3});
    for (int i = 0; i < 4; ++i) values.push_back(m.Scalar(StrCat("c", i), 0.1 * static_cast<double>(random() % 5)));
    for (int i = 0; i < 60; ++i) {
      const char* ops[] = {"Add", "Sub", "Mul", "Neg"};
      const char* op = ops[random() % 4];
      std::vector<Output> inputs = {values[random() % values.size()]};
      if (op != ops[3]) inputs.push_back(values[random() % values.size()]);
      values.push_back(m.Add(StrCat("n", i), op, inputs));
    }
    RunSignature signature;
    signature.feeds = {values[0]};
    for (int i = 0; i < 5; ++i) signature.fetches.push_back(values[values.size() - 1 - static_cast<size_t>(i)]);
    Result<Graph> plain = PruneForRun(m.graph, signature);
    ASSERT_TRUE(plain.ok()) << plain.status().ToString();
    Graph optimized = plain->Clone();
    PlainDevice device;
    const Status status =
        OptimizeForDevice(optimized, device.type(), {.kernels = KernelRegistry::Builtin(), .host = device});
    ASSERT_TRUE(status.ok()) << status.ToString();
    EXPECT_LT(optimized.num_nodes(), plain->num_nodes());
    GraphEvaluator before({{"_arg_x_0", {fed}}});
    GraphEvaluator after({{"_arg_x_0", {fed}}});
    ASSERT_EQ(*before.Run(*plain), 0);
    ASSERT_EQ(*after.Run(optimized), 0);
    for (Output fetch : signature.fetches) {
      const std::string name = "_retval_" + m.graph.node(fetch.node).name + "_0";
      EXPECT_TRUE(before.values().at(name)[0].Identical(after.values().at(name)[0])) << name;
    }
  }
}

}  // namespace
}  // namespace dfrun
