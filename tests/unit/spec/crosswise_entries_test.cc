// Entries that refer to each other crosswise, by nodes within, are built in the order of the nodes.
#include "tests/unit/spec/spec_test_util.h"

namespace dfrun {
namespace {

constexpr const char* kFunctions = R"SPEC(functions:
  layer:
    args: [x]
    attrs: {units: 3}
    graph:
      W: {op: Variable, shape: ["dim(x, 1)", "${units}"], init: zeros
}
      b: {op: Variable, shape: ["${units}"], init: zeros}
    returns: {y: "MatMul(x, W) + b"}
  tied:
    args: [x, V]
    graph:
      W: {op: Variable, shape: [3, 3], init: zeros}
      both: MatMul(W, V)
    returns: {y: "MatMul(x, both)"}
  outer:
    args: [x]
    graph:
      inner: layer(x)
      scaled: inner * 2.0
    returns: {y: Relu(scaled)}
)SPEC";

std::string WithFunctions(const std::string& graph) {
  return kFunctions + std::string("graph:\n  x: {op: Placeholder, dtype: float32, shape: [2, 3]}\n") + graph;
}

void Builds(const std::string& graph, const std::vector<std::string>& nodes) {
  const Result<LoadedSpec> spec = LoadText(WithFunctions(graph));
  ASSERT_TRUE(spec.ok()) << spec.status().message();
  for (const std::string& name : nodes) EXPECT_GE(spec->graph.Find(name), 0) << name << "\n" << DumpText(spec->graph);
  EXPECT_TRUE(spec->graph.TopologicalOrder().ok());
}

TEST(CrosswiseEntries, AControlEdgeMayComeLater) {
  const std::string graph =
      "  slow: {op: Variable, shape: [3, 3], init: zeros, trainable: false}\n"
      "  slow_up: AssignSub(slow, 0.1 * (slow - logits/W))\n"
      "  through: {op: Identity, inputs: [x], control: [^slow_up]}\n"
      "  logits: layer(through)\n";
  Builds(graph, {"logits/W", "logits", "slow_up"});
  const Result<LoadedSpec> spec = LoadText(WithFunctions(graph));
  ASSERT_TRUE(spec.ok());
  const Node& through = spec->graph.node(spec->graph.Find("through"));
  ASSERT_EQ(through.control_inputs.size(), 1u);
  const Node& stand_in = spec->graph.node(through.control_inputs[0]);
  EXPECT_EQ(stand_in.op->name, "NoOp");
  EXPECT_EQ(stand_in.control_inputs, std::vector<NodeId>{spec->graph.Find("slow_up")});
}

// The layer waits, and the first values of its variables do not.
TEST(CrosswiseEntries, ALayerMayWaitForWhatReadsItsWeights) {
  const std::string drawn =
      "functions:\n  drawn: {args: [x], graph: {W: {op: Variable, shape: [3, 3], init: \"RandomUniform(minval=0, "
      "maxval=1)\"}}, "
      "returns: \"MatMul(x, W)\"}\n"
      "graph:\n  x: {op: Placeholder, dtype: float32, shape: [2, 3]}\n  n: {op: Variable, shape: [], init: 0.0}\n"
      "  up: AssignAdd(n, Sum(a/W))\n  a: {op: drawn, inputs: [x], control: [^up]}\n";
  const Result<LoadedSpec> spec = LoadText(drawn);
  ASSERT_TRUE(spec.ok()) << spec.status().message();
  EXPECT_FALSE(spec->graph.node(spec->graph.Find("a")).control_inputs.empty());
}

TEST(CrosswiseEntries, WeightsAreReadBothWays) {
  Builds("  a: tied(x, b/W)\n  b: tied(a, a/W)\n", {"a/W", "b/W", "a", "b"});
  Builds("  b: tied(a, a/W)\n  a: tied(x, b/W)\n", {"a/W", "b/W", "a", "b"});
  Builds("  gate: Sigmoid(Sum(b/W))\n  b: tied(x * gate, x2)\n  x2: Identity(b/W)\n", {"gate", "b"});
  Builds("  a: tied(x * Sum(a/W), a/W)\n", {"a/both"});
  Builds("  a: tied(x, c)\n  c: b/W * 2.0\n  b: {op: tied, inputs: [a, a/W]}\n", {"a", "b", "c"});
}

TEST(CrosswiseEntries, NodesWithinNestedCalls) {
  Builds("  up: Identity(o/inner/W)\n  in: {op: Identity, inputs: [x], control: [^up]}\n  o: outer(in)\n",
         {"o/inner/W", "o/scaled", "up"});
  Builds(
      "  n: Sum(o/inner/b)\n  o: outer(Reshape(x, shape=[-1, 3]))\n  p: {op: Identity, inputs: [n], control: "
      "[^o]}\n",
      {"o", "n", "p"});
}

TEST(CrosswiseEntries, WithinAFunction) {
  const std::string pair =
      "functions:\n"
      "  side: {args: [x, V], graph: {W: {op: Variable, shape: [3, 3], init: zeros}}, returns: \"MatMul(x, W) + "
      "Sum(V)\"}\n"
      "  pair: {args: [x], graph: {a: \"side(x, b/W)\", b: \"side(a, a/W)\"}, returns: b}\n"
      "graph:\n  x: {op: Placeholder, dtype: float32, shape: [2, 3]}\n  y: pair(x)\n";
  const Result<LoadedSpec> spec = LoadText(pair);
  ASSERT_TRUE(spec.ok()) << spec.status().message();
  EXPECT_GE(spec->graph.Find("y/a/W"), 0);
  EXPECT_GE(spec->graph.Find("y/b/W"), 0);
  // Whether the function is called or not.
  EXPECT_TRUE(LoadText(pair.substr(0, pair.find("  y:"))).ok());
}

TEST(CrosswiseEntries, NodesThatDoDependOnEachOtherAreRefused) {
  EXPECT_EQ(ErrorOf(WithFunctions("  a: layer(b)\n  b: layer(a)\n")).substr(0, 60),
            "job.yaml:25:3: nodes depend on each other: a -> b -> a");
  EXPECT_NE(ErrorOf(WithFunctions("  a: {op: Identity, inputs: [b/W], control: [^c]}\n  c: Sum(a)\n  b: tied(x, a)\n"))
                .find("nodes depend on each other: "),
            std::string::npos);
  // The weight's shape depends on what the layer reads.
  EXPECT_NE(ErrorOf(WithFunctions("  g: Sum(a/W)\n  a: layer(x * g)\n")).find("nodes depend on each other: "),
            std::string::npos);
  EXPECT_NE(
      ErrorOf(WithFunctions("  a: tied(x, b/W)\n  b: tied(a, c/Z)\n  c: tied(x, a/W)\n")).find("unknown node 'c/Z'"),
      std::string::npos);
}

}  // namespace
}  // namespace dfrun
