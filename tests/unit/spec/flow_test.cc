// Cond and While of the spec language: what they compute, and their gradients.
#include <gtest/gtest.h>

#include <cmath>

#include "src/autodiff/gradients.h"
#include "tests/unit/spec/spec_test_util.h"
#include "tests/unit/testing/step_runner.h"

namespace dfrun {
namespace {

using testing::StepRunner;

// The float64 elements of a node of the spec, one behind the other.
std::vector<double> ValueOf(const Graph& graph, Output value) {
  StepRunner runner({.threads = 2});
  const Status prepared = runner.Prepare(graph, {value});
  EXPECT_TRUE(prepared.ok()) << prepared.ToString();
  if (!prepared.ok()) return {};
  const Result<std::vector<Tensor>> values = runner.Run();
  EXPECT_TRUE(values.ok()) << values.status().ToString();
  if (!values.ok()) return {};
  const auto elements = (*values)[0].values<double>();
  return {elements.begin(), elements.end()};
}

std::vector<double> Evaluate(const std::string& text, const std::string& node) {
  const Result<LoadedSpec> spec = LoadText(text);
  EXPECT_TRUE(spec.ok()) << spec.status().ToString();
  if (!spec.ok()) return {};
  const NodeId id = spec->graph.Find(node);
  EXPECT_GE(id, 0) << node;
  return id < 0 ? std::vector<double>() : ValueOf(spec->graph, {id, 0});
}

using Doubles = std::vector<double>;

TEST(Flow, ACondGivesTheSideThatItsConditionChooses) {
  const std::string text =
      "graph:\n"
      "  x: Const([1.5, -2.5], dtype=float64)\n"
      "  y: Cond(Sum(x) > 0, x * 2, Neg(x))\n"
      "  z: {op: Cond, pred: Sum(x) < 0, then: [x, Sum(x)], else: [x + 1, Max(x)]}\n"
      "  w: z:1 * 2\n";
  EXPECT_EQ(Evaluate(text, "y"), (Doubles{-1.5, 2.5}));
  EXPECT_EQ(Evaluate(text, "z/0"), (Doubles{1.5, -2.5}));
  EXPECT_EQ(Evaluate(text, "w"), Doubles{-2});
}

TEST(Flow, ConstantSidesAreSides) {
  const std::string text = "graph:\n  x: Const(2.0, dtype=float64)\n  y: Cast(Cond(x > 1, 5, 6), DstT=float64)\n";
  EXPECT_EQ(Evaluate(text, "y"), Doubles{5});
}

TEST(Flow, AWhileInAllItsForms) {
  const std::string text =
      "functions:\n"
      "  more: {args: [n, p], returns: n > 0}\n"
      "  step: {args: [n, p], returns: {n: n - 1, p: n * p}}\n"
      "graph:\n"
      "  five: Const(5.0, dtype=float64)\n"
      "  one: Const(1.0, dtype=float64)\n"
      "  map:   {op: While, vars: {n: five, p: one}, cond: n > 0, body: {n: n - 1, p: n * p}}\n"
      "  list:  {op: While, vars: {n: five, p: one}, cond: n > 0, body: [n - 1, n * p]}\n"
      "  call:  {op: While, vars: {n: five, p: one}, cond: more, body: \"step(n, p)\"}\n"
      "  names: While(five, one, cond=more, body=step)\n"
      "  keeps: {op: While, vars: {n: five, p: one}, cond: n > 0, body: {n: n - 1}}\n";
  for (const char* form : {"map", "list", "call", "names"}) {
    EXPECT_EQ(Evaluate(text, std::string(form) + "/p"), Doubles{120}) << form;
  }
  EXPECT_EQ(Evaluate(text, "keeps/p"), Doubles{1});
}

TEST(Flow, LoopsAndCondsNest) {
  EXPECT_EQ(Evaluate("functions:\n"
                     "  inner:\n"
                     "    args: [v, i]\n"
                     "    graph: {w: {op: While, vars: {j: 0, u: v}, cond: j < i, body: {j: j + 1, u: u * 0.5}}}\n"
                     "    returns: w:1\n"
                     "graph:\n"
                     "  x: Const([1.0, -2.0], dtype=float64)\n"
                     "  y:\n"
                     "    op: While\n"
                     "    vars: {i: 0, v: x}\n"
                     "    cond: i < 3\n"
                     "    body: {i: i + 1, v: \"Cond(i == 1, v, inner(v, i)) + x\"}\n",
                     "y/v"),
            (Doubles{1.75, -3.5}));
}

// Calls that double from level to level, and add no node.
TEST(Flow, CallsThatMultiplyAreStopped) {
  std::string text = "functions:\n  f0: {args: [x], returns: x}\n";
  for (int k = 1; k < 45; ++k) {
    text += StrCat("  f", k, ": {args: [x], returns: f", k - 1, "(f", k - 1, "(x))}\n");
  }
  const Status status = LoadText(text + "graph:\n  x: Const(1.0)\n  y: f44(x)\n").status();
  EXPECT_NE(status.message().find("calls of functions"), std::string::npos) << status.ToString();
}

// Each list is the one element of the next; freeing the outermost frees them all.
TEST(Flow, ListsInListsAsDeepAsALoopMakesThem) {
  const std::string empty = "EmptyTensorList(Const([], dtype=int32), -1, element_dtype=variant)";
  const std::string text = StrCat("graph:\n  first: ", empty, "\n  w: {op: While, vars: {i: 0, l: first}, cond: i < ",
                                  "1000000, body: [i + 1, \"TensorListPushBack(", empty,
                                  ", l)\"]}\n  y: Cast(TensorListLength(w:1), DstT=float64)\n");
  EXPECT_EQ(Evaluate(text, "y"), Doubles{1});
}

// A loop's variables hide the entries of their names.
TEST(Flow, AnEntryMayHaveTheNameOfALoopsVariable) {
  EXPECT_EQ(Evaluate("graph:\n"
                     "  s: loop\n"
                     "  loop: {op: While, vars: {s: \"Const(1.0, dtype=float64)\"}, cond: s < 30, body: {s: s * 2}}\n",
                     "s"),
            Doubles{32});
}

// d/dw of w^n for a number n of iterations that the step decides.
TEST(Flow, ALoopHasAGradient) {
  Result<LoadedSpec> spec = LoadText(
      "graph:\n"
      "  w: Const(1.5, dtype=float64)\n"
      "  n: Cast(w * 2, DstT=int32)\n"
      "  power: {op: While, vars: {i: 0, p: \"OnesLike(w)\"}, cond: i < n, body: {i: i + 1, p: p * w}}\n"
      "  y: power:1\n");
  ASSERT_TRUE(spec.ok()) << spec.status().ToString();
  const Output y{spec->graph.Find("y"), 0};
  const Output w{spec->graph.Find("w"), 0};
  const Result<std::vector<GradientValue>> gradient = AddGradients(spec->graph, {&y, 1}, {&w, 1});
  ASSERT_TRUE(gradient.ok()) << gradient.status().ToString();
  EXPECT_EQ(ValueOf(spec->graph, (*gradient)[0].dense), Doubles{3 * 1.5 * 1.5});
}

}  // namespace
}  // namespace dfrun
