// Graphs with Enters of constants have the form that TensorFlow accepts and mean the same. That TensorFlow accepts them
// was tried with TensorFlow.
#include "src/passes/export/enter_constants.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "src/graph/control_flow.h"
#include "src/graph/graph_def/text_dump.h"
#include "tests/unit/spec/spec_test_util.h"
#include "tests/unit/testing/step_runner.h"

namespace dfrun {
namespace {

using testing::StepRunner;

// A loop within a loop and a conditional: constants, and sums of constants, are read in each.
constexpr char kLoops[] = R"yaml(
functions:
  less:  {args: [i, x], returns: i < 2}
  step:  {args: [i, x], returns: {i: i + 1, x: Sin(x) + 0.125}}
  inner:
    args: [x]
    graph:
      loop: While(0, x, cond=less, body=step)
    returns: {y: "Identity(loop:1)"}
graph:
  c:   {op: Const, value: 0.5, dtype: float32}
  sum: c + 0.25
  outer:
    op: While
    vars: {t: 0, h: c}
    cond: t < 3
    body: {t: t + 1, h: "Tanh(inner(h) + Cond(h > sum, 1.5, h * sum))"}
)yaml";

// Returns the nodes of loops that read a value from outside of all loops, by data or control edges.
std::vector<std::string> ReadersOfConstants(const Graph& graph) {
  std::vector<std::string> readers;
  const Result<FrameTree> tree = BuildFrameTree(graph);
  EXPECT_TRUE(tree.ok()) << tree.status().ToString();
  for (const Node& node : graph.nodes()) {
    const auto is_constant = [&](NodeId id) { return tree->of_outputs[id] == FrameTree::kAny; };
    const bool reads =
        std::any_of(node.inputs.begin(), node.inputs.end(), [&](Output o) { return is_constant(o.node); }) ||
        std::any_of(node.control_inputs.begin(), node.control_inputs.end(), is_constant);
    if (tree->of_node[node.id] > 0 && reads) readers.push_back(node.name);
  }
  return readers;
}

Tensor ValueOf(const Graph& graph, const std::string& name) {
  StepRunner runner({.threads = 1});
  const Status prepared = runner.Prepare(graph, {{graph.Find(name), 0}});
  EXPECT_TRUE(prepared.ok()) << prepared.ToString();
  const Result<std::vector<Tensor>> values = runner.Run();
  EXPECT_TRUE(values.ok()) << values.status().ToString();
  return values.ok() ? (*values)[0] : Tensor();
}

Graph Loops() {
  const Result<LoadedSpec> spec = LoadText(kLoops);
  EXPECT_TRUE(spec.ok()) << spec.status().ToString();
  return spec.ok() ? spec->graph.Clone() : Graph();
}

TEST(EnterConstants, EveryConstantComesThroughAnEnter) {
  Graph graph = Loops();
  const Tensor want = ValueOf(graph, "outer/h");
  graph.AddControlEdge(graph.Find("c"), graph.Find("outer/t/NextIteration"));
  EXPECT_GT(ReadersOfConstants(graph).size(), 3U);
  ASSERT_TRUE(EnterConstants(graph).ok());
  EXPECT_EQ(ReadersOfConstants(graph), std::vector<std::string>());
  EXPECT_TRUE(ValueOf(graph, "outer/h").Identical(want));
}

TEST(EnterConstants, GraphsThatHaveThemStay) {
  Graph graph = Loops();
  ASSERT_TRUE(EnterConstants(graph).ok());
  const std::string once = DumpText(graph);
  ASSERT_TRUE(EnterConstants(graph).ok());
  EXPECT_EQ(DumpText(graph), once);
}

}  // namespace
}  // namespace dfrun
