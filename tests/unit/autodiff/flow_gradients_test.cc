// Gradients through conditionals, loops and TensorArrays against numeric derivatives, and what they are made of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "src/autodiff/gradients.h"
#include "src/autodiff/node_adder.h"
#include "tests/unit/spec/spec_test_util.h"
#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/step_runner.h"

namespace dfrun::testing {
namespace {

using ::testing::HasSubstr;

// A graph in the spec language with nodes x and y, and values of x at which dy/dx is compared.
struct FlowCase {
  std::string name;
  std::string graph;
  std::vector<Shape> shapes = {Shape({2, 3})};
};

Tensor ValuesAround(double center, const Shape& shape) {
  Tensor values(DType::kDouble, shape);
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    values.data<double>()[i] = center + 0.1 * static_cast<double>((7 * i + 3) % 5) - 0.17;
  }
  return values;
}

double Sum(const Tensor& values) {
  double sum = 0;
  for (double value : values.values<double>()) sum += value;
  return sum;
}

class FlowGradient : public ::testing::TestWithParam<FlowCase> {
 protected:
  // Compares the derivative of this order: that of the sum of all elements of the derivative of one order less.
  void AgreesAt(const Tensor& at, int order) {
    Result<LoadedSpec> spec = LoadText("graph:\n" + GetParam().graph);
    ASSERT_TRUE(spec.ok()) << spec.status().ToString();
    Graph& graph = spec->graph;
    const Output x{graph.Find("x"), 0};
    Output y;
    Output dy{graph.Find("y"), 0};
    for (int k = 0; k < order; ++k) {
      y = std::exchange(dy, Output());
      const Result<std::vector<GradientValue>> gradients = AddGradients(graph, {&y, 1}, {&x, 1});
      ASSERT_TRUE(gradients.ok()) << gradients.status().ToString();
      ASSERT_TRUE(k > 0 || (*gradients)[0].exists);
      GradientValue gradient = (*gradients)[0];
      if (!gradient.exists) {  // the function is linear in x
        gradient = GradientValue::Dense(NodeAdder(graph, StrCat("zero", k), "").Add("ZerosLike", {x}));
      }
      const Result<Output> dense = DenseGradient(graph, gradient, x, StrCat("dense", k));
      ASSERT_TRUE(dense.ok()) << dense.status().ToString();
      dy = *dense;
    }
    StepRunner runner({.threads = 2});
    const Status prepared = runner.Prepare(graph, {y, dy}, {x});
    ASSERT_TRUE(prepared.ok()) << prepared.ToString();
    const Result<std::vector<Tensor>> results = runner.Run({at});
    ASSERT_TRUE(results.ok()) << results.status().ToString();
    ASSERT_EQ((*results)[1].shape(), at.shape());
    for (int64_t i = 0; i < at.num_elements(); ++i) {
      const double slope = (4 * Slope(runner, at, i, 5e-4) - Slope(runner, at, i, 1e-3)) / 3;
      EXPECT_NEAR((*results)[1].data<double>()[i], slope, 1e-6 * std::max(1.0, std::abs(slope))) << "element " << i;
    }
  }

  static double Slope(StepRunner& runner, const Tensor& at, int64_t i, double step) {
    const auto value = [&](double h) {
      Tensor moved = *at.Copy(SystemAllocator());
      moved.data<double>()[i] += h;
      const Result<std::vector<Tensor>> results = runner.Run({moved});
      EXPECT_TRUE(results.ok()) << results.status().ToString();
      return results.ok() ? Sum((*results)[0]) : NAN;
    };
    return (value(step) - value(-step)) / (2 * step);
  }
};

TEST_P(FlowGradient, AgreesWithNumericDerivatives) {
  for (const Shape& shape : GetParam().shapes) {
    AgreesAt(ValuesAround(0.8, shape), 1);
    AgreesAt(ValuesAround(-0.8, shape), 1);
  }
}

TEST_P(FlowGradient, SecondDerivativesDoToo) {
  for (const Shape& shape : GetParam().shapes) {
    AgreesAt(ValuesAround(0.8, shape), 2);
    AgreesAt(ValuesAround(-0.8, shape), 2);
  }
}

TEST_P(FlowGradient, ThirdDerivativesDoToo) {
  for (const Shape& shape : GetParam().shapes) AgreesAt(ValuesAround(0.8, shape), 3);
}

const std::string kKnown = "  x: {op: Placeholder, dtype: float64, shape: [2, 3]}\n";
const std::string kUnknown = "  x: {op: Placeholder, dtype: float64}\n";
const std::string kTable = "  x: {op: Placeholder, dtype: float64, shape: [4, 2]}\n";
const std::string kArray = "  a: TensorArrayV3(2, dtype=float64, clear_after_read=false)\n";

std::vector<FlowCase> Cases() {
  const std::vector<Shape> table = {Shape({4, 2})};
  return {
      {"IntoOneBranchOnly", kKnown + "  y: Cond(Sum(x) > 0, Sum(x * x), Const(1.0, dtype=float64))\n"},
      {"InsideAndOutside", kKnown + "  y: x * Cond(Sum(x) > 0, x * x, Sin(x)) + x\n"},
      {"BranchOfUnknownShape",
       kUnknown + "  y: Cond(Sum(x) > 0, Square(x), Const(1.0, dtype=float64))\n",
       {Shape({2}), Shape({2, 3})}},
      {"NestedConds",
       kKnown + "  y: Cond(Sum(x) > 0, Cond(Max(x) > 0.9, x * x, x * 3), Cond(Max(x) > 9, x, Tanh(x)))\n"},
      {"LoopOfUnknownShape",
       kUnknown + "  w: {op: While, vars: {i: 0, v: x}, cond: i < 3, body: [i + 1, v * x + Sin(v)]}\n  y: w:1\n",
       {Shape({2}), Shape({2, 3})}},
      {"CondOfUnknownShapeInALoop",
       kUnknown + "  w: {op: While, vars: {i: 0, v: x}, cond: i < 4, body: [i + 1, \"Cond(i == 2, v * x, v + "
                  "Reshape(Sum(x), [1]))\"]}\n  y: w:1\n",
       {Shape({2})}},
      {"AVariableThatIsOnlyRead",
       kKnown + "  w: {op: While, vars: {i: 0, v: x, u: x * 2}, cond: i < 3, body: {i: i + 1, v: v * u}}\n  y: w:1\n"},
      {"AVariableThatIsOnlyWritten",
       kKnown + "  w: {op: While, vars: {i: 0, v: x, u: x}, cond: i < 3, body: [i + 1, v * 2, v * x]}\n  y: w:2\n"},
      {"TwoExits", kKnown + "  w: {op: While, vars: {v: x, u: x}, cond: Sum(v * v) < 9, body: [v * 1.5, u * v]}\n"
                            "  y: w * w:1\n"},
      {"LoopInALoopInACond",
       kKnown +
           "  y: \"Cond(Sum(x) > 0, outer(x), Exp(x))\"\n"
           "functions:\n"
           "  outer: {args: [x], graph: {w: {op: While, vars: {i: 0, v: x}, cond: i < 3, body: [i + 1, \"inner(i, v, "
           "x)\"]}}, returns: \"w:1\"}\n"
           "  inner: {args: [i, v, x], graph: {w: {op: While, vars: {j: 0, u: v}, cond: j < i, body: [j + 1, Sin(u) "
           "* x]}}, returns: \"w:1 + x\"}\n"},
      {"RowsInALoop",
       kTable + "  w: {op: While, vars: {i: 0, v: \"Gather(x, 3)\"}, cond: i < 3, body: [i + 1, \"v * Gather(x, i) + "
                "Gather(x, 1)\"]}\n  y: w:1\n",
       table},
      {"RowsInACond", kTable + "  y: Cond(Sum(x) > 0, Gather(x, [0, 2]), Gather(x, [1, 1]) * 3)\n", table},
      {"RowsInOneBranch",
       kTable + "  y: Cond(Sum(x) > 0, Gather(x, [0, 2]), Const([[1.0, 2.0], [3.0, 4.0]], dtype=float64))\n", table},
      {"RowsInACondInALoop",
       kTable + "  w: {op: While, vars: {i: 0, v: \"Gather(x, 3)\"}, cond: i < 4, body: [i + 1, \"Cond(i < 2, v * "
                "Gather(x, i), v + Gather(x, 0))\"]}\n  y: w:1\n",
       table},
      {"ArrayWrittenInALoop", kKnown + kArray +
                                  "  w: {op: While, vars: {i: 0, f: \"a:1\", v: x}, cond: i < 2, body: [i + 1, "
                                  "\"TensorArrayWriteV3(a, i, v * x, "
                                  "f)\", v * 2]}\n"
                                  "  y: Square(TensorArrayGatherV3(a, [0, 1], w:1, dtype=float64))\n"},
      {"ArrayReadInALoop", kKnown + kArray +
                               "  f: TensorArrayScatterV3(a, [0, 1], x, a:1)\n"
                               "  w: {op: While, vars: {i: 0, s: \"Sum(x, axis=0)\"}, cond: i < 2, body: [i + 1, \"s * "
                               "TensorArrayReadV3(a, i, "
                               "f, dtype=float64)\"]}\n"
                               "  y: w:1\n"},
      {"ArraySplitAndJoined", kKnown + kArray +
                                  "  f: TensorArraySplitV3(a, Reshape(x, [6]), Const([4, 2], dtype=int64), a:1)\n"
                                  "  y: Square(TensorArrayConcatV3(a, f, dtype=float64))\n"},
  };
}

INSTANTIATE_TEST_SUITE_P(Cases, FlowGradient, ::testing::ValuesIn(Cases()),
                         [](const auto& info) { return info.param.name; });

int CountOps(const Graph& graph, std::string_view op) {
  return static_cast<int>(
      std::count_if(graph.nodes().begin(), graph.nodes().end(), [&](const Node& node) { return node.op->name == op; }));
}

// tanh(v * x): the product needs v, tanh its result; x and the constants are the same in all iterations.
TEST(FlowGradients, OnlyWhatTheGradientReadsIsSaved) {
  Result<LoadedSpec> spec = LoadText(
      "graph:\n" + kKnown + "  w: {op: While, vars: {i: 0, v: x}, cond: i < 3, body: [i + 1, Tanh(v * x) + 0.5]}\n");
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  const Output x{spec->graph.Find("x"), 0};
  const Output y{spec->graph.Find("w/v"), 0};
  GradientOptions options;
  options.swap_memory = true;
  ASSERT_TRUE(AddGradients(spec->graph, {&y, 1}, {&x, 1}, options).ok());
  EXPECT_EQ(CountOps(spec->graph, "StackV2"), 2);
  for (const Node& node : spec->graph.nodes()) {
    if (node.op->name != "StackPushV2") continue;
    EXPECT_TRUE(*node.attrs.Get<bool>("swap_memory"));
  }
}

// Saved values are differentiated too: v and x are saved for the product, and their gradients come back on stacks.
TEST(FlowGradients, SecondDerivativesSaveOnStacksTheWayTheyAreAsked) {
  Result<LoadedSpec> spec =
      LoadText("graph:\n" + kKnown + "  w: {op: While, vars: {i: 0, v: x}, cond: i < 3, body: [i + 1, v * x]}\n");
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  const Output x{spec->graph.Find("x"), 0};
  Output y{spec->graph.Find("w/v"), 0};
  for (const bool swap_memory : {false, true}) {
    GradientOptions options;
    options.swap_memory = swap_memory;
    const NodeId first_new = spec->graph.num_nodes();
    const Result<std::vector<GradientValue>> gradient = AddGradients(spec->graph, {&y, 1}, {&x, 1}, options);
    ASSERT_TRUE(gradient.ok()) << gradient.status().ToString();
    y = (*gradient)[0].dense;
    for (NodeId id = first_new; id < spec->graph.num_nodes(); ++id) {
      const Node& node = spec->graph.node(id);
      if (node.op->name != "StackPushV2") continue;
      EXPECT_EQ(*node.attrs.Get<bool>("swap_memory"), swap_memory);
    }
  }
  EXPECT_GE(CountOps(spec->graph, "StackPushV2"), 3);
  EXPECT_EQ(CountOps(spec->graph, "StackPushV2"), CountOps(spec->graph, "StackPopV2"));
}

TEST(FlowGradients, ALoopMayAskForHostMemoryAlone) {
  Result<LoadedSpec> spec =
      LoadText("graph:\n" + kKnown +
               "  kept: {op: While, vars: {i: 0, v: x}, cond: i < 3, body: [i + 1, v * x]}\n"
               "  swapped: {op: While, vars: {i: 0, u: x}, cond: i < 3, body: [i + 1, Sin(u)], swap_memory: true}\n"
               "  y: kept:1 + swapped:1\n");
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  const Output x{spec->graph.Find("x"), 0};
  const Output y{spec->graph.Find("y"), 0};
  const Result<std::vector<GradientValue>> first = AddGradients(spec->graph, {&y, 1}, {&x, 1});
  ASSERT_TRUE(first.ok()) << first.status().ToString();
  const Output dy = (*first)[0].dense;
  ASSERT_TRUE(AddGradients(spec->graph, {&dy, 1}, {&x, 1}).ok());
  int swapped = 0;
  for (const Node& node : spec->graph.nodes()) {
    if (node.op->name != "StackPushV2") continue;
    const bool is_swapped = node.name.find("/swapped/") != std::string::npos;
    EXPECT_EQ(*node.attrs.Get<bool>("swap_memory"), is_swapped) << node.name;
    swapped += is_swapped ? 1 : 0;
  }
  EXPECT_GE(swapped, 2);
}

TEST(FlowGradients, StacksOfNoLoopsGradientAreRefusedByName) {
  for (const int num_pops : {1, 2}) {
    GraphMaker m;
    const Output x = m.Placeholder("x", PartialShape::Scalar());
    const Output stack =
        m.Add("stack", "StackV2", {m.Scalar<int32_t>("unbounded", -1)}, {{"elem_type", DType::kDouble}});
    m.Add("push", "StackPushV2", {stack, x});
    Output y;
    for (int i = 0; i < num_pops; ++i) {
      y = m.Add(StrCat("pop", i), "StackPopV2", {stack}, {{"elem_type", DType::kDouble}});
    }
    const Status status = AddGradients(m.graph, {&y, 1}, {&x, 1}).status();
    EXPECT_EQ(status.code(), Code::kUnimplemented);
    EXPECT_THAT(status.message(), HasSubstr(StrCat("pop", num_pops - 1)));
    EXPECT_THAT(status.message(), HasSubstr("'x' -> 'push' -> 'pop"));
  }
}

TEST(FlowGradients, AnXOrYInsideOfALoopIsRefusedByName) {
  GraphMaker m;
  const Output x = m.Placeholder("x", PartialShape::Scalar());
  const Output inside = m.Add("inside", "Enter", {x}, {{"frame_name", "repeat"}});
  const Output y = m.Add("y", "Exit", {m.Add("square", "Square", {inside})});
  for (const auto& [from, to, what] :
       {std::tuple(m.graph.Find("square"), x.node, "'square' (op Square): a gradient's y"),
        std::tuple(y.node, inside.node, "'inside' (op Enter): a gradient's x")}) {
    const Output end{from, 0};
    const Output begin{to, 0};
    const Status status = AddGradients(m.graph, {&end, 1}, {&begin, 1}).status();
    EXPECT_EQ(status.code(), Code::kUnimplemented);
    EXPECT_THAT(status.message(), HasSubstr(StrCat(what, " lies inside of the loop 'repeat'")));
    EXPECT_THAT(status.message(), HasSubstr("let it leave the loop by an Exit, or enter it"));
  }
}

// A node may read a value of outside without a Switch; its gradient is then zero where the branch is not taken.
TEST(FlowGradients, AValueReadInABranchWithoutASwitch) {
  GraphMaker m;
  const Output x = m.Placeholder("x", PartialShape::Scalar());
  const Output pred = m.Add("pred", "Greater", {x, m.Scalar("zero", 0.0)});
  const Output sides = m.Add("sides", "Switch", {x, pred});
  const Output product = m.Add("product", "Mul", {x, {sides.node, 1}});
  const Output y = m.Add("y", "Merge", {m.Add("neg", "Neg", {sides}), product});
  const Result<std::vector<GradientValue>> gradient = AddGradients(m.graph, {&y, 1}, {&x, 1});
  ASSERT_TRUE(gradient.ok()) << gradient.status().ToString();
  StepRunner runner;
  ASSERT_TRUE(runner.Prepare(m.graph, {(*gradient)[0].dense}, {x}).ok());
  EXPECT_EQ((*runner.Run({Tensor::Scalar(3.0)}))[0].scalar<double>(), 6);
  EXPECT_EQ((*runner.Run({Tensor::Scalar(-3.0)}))[0].scalar<double>(), -1);
}

TEST(FlowGradients, ReferencesToo) {
  GraphMaker m;
  const Output variable = m.Add("v", "VariableV2", {}, {{"dtype", DType::kDouble}, {"shape", Shape()}});
  const Output x = m.Add("x", "Assign", {variable, m.Scalar("three", 3.0)});
  const Output sides = m.Add("sides", "RefSwitch", {x, m.Scalar<bool>("pred", true)});
  const Output square = m.Add("square", "Square", {{sides.node, 1}});
  const Output y = m.Add("y", "Merge", {m.Add("neg", "Neg", {sides}), square});
  const Result<std::vector<GradientValue>> gradient = AddGradients(m.graph, {&y, 1}, {&x, 1});
  ASSERT_TRUE(gradient.ok()) << gradient.status().ToString();
  EXPECT_TRUE((*gradient)[0].exists);
}

}  // namespace
}  // namespace dfrun::testing
