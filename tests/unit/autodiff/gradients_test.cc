#include "src/autodiff/gradients.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "tests/unit/autodiff/toy_ops.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using testing::GraphMaker;
using testing::ToyOps;

class GradientsTest : public ::testing::Test {
 protected:
  GraphMaker m{ToyOps()};

  Output X(const std::string& name, PartialShape shape = {2}) { return m.Add(name, "X", {}, {{"shape", shape}}); }

  std::vector<GradientValue> Differentiate(const std::vector<Output>& ys, const std::vector<Output>& xs,
                                           const GradientOptions& options = {}) {
    Result<std::vector<GradientValue>> gradients = AddGradients(m.graph, ys, xs, options);
    EXPECT_TRUE(gradients.ok()) << gradients.status().ToString();
    return gradients.ok() ? *gradients : std::vector<GradientValue>(xs.size());
  }
  Status Error(const std::vector<Output>& ys, const std::vector<Output>& xs, const GradientOptions& options = {}) {
    return AddGradients(m.graph, ys, xs, options).status();
  }
  const Node& node(Output value) const { return m.graph.node(value.node); }
  std::string Name(Output value) const { return OutputName(m.graph, value); }
};

TEST_F(GradientsTest, FollowsAChainBackwards) {
  const Output x = X("x");
  const Output y = m.Add("y", "Scale", {m.Add("h", "Scale", {x})});
  const GradientValue g = Differentiate({y}, {x})[0];
  ASSERT_TRUE(g.exists);
  EXPECT_FALSE(g.is_sparse);
  EXPECT_EQ(Name(g.dense), "gradients/h_grad/Scale");
  EXPECT_EQ(Name(node(g.dense).inputs[0]), "gradients/y_grad/Scale");
  EXPECT_EQ(node(node(node(g.dense).inputs[0]).inputs[0]).op->name, "OnesLike");
}

TEST_F(GradientsTest, ScalarsStartFromAConstantOne) {
  const Output x = X("x", PartialShape::Scalar());
  const GradientValue g = Differentiate({m.Add("y", "Pass", {x})}, {x})[0];
  ASSERT_EQ(node(g.dense).op->name, "Const");
  EXPECT_EQ(m.graph.ConstantValue(g.dense)->scalar<float>(), 1.0F);
}

TEST_F(GradientsTest, NewNodesAreColocatedWithWhatTheyDifferentiate) {
  const Output x = X("x");
  const Output h = m.Add("h", "Scale", {x});
  const GradientValue g = Differentiate({h}, {x})[0];
  EXPECT_EQ(node(g.dense).colocate_with, "h");
}

TEST_F(GradientsTest, PathsAreSummedInTheOrderOfTheReadersFromTheEnd) {
  const Output x = X("x");
  const Output a = m.Add("a", "Scale", {x});
  const Output b = m.Add("b", "Scale", {x});
  const Output c = m.Add("c", "Scale", {x});
  const Output y = m.Add("y", "Plus", {m.Add("ab", "Plus", {a, b}), c});
  const GradientValue g = Differentiate({y}, {x})[0];
  ASSERT_EQ(node(g.dense).op->name, "AddN");
  std::vector<std::string> parts;
  for (Output part : node(g.dense).inputs) parts.push_back(Name(part));
  EXPECT_EQ(parts,
            (std::vector<std::string>{"gradients/c_grad/Scale", "gradients/b_grad/Scale", "gradients/a_grad/Scale"}));
}

TEST_F(GradientsTest, TheSameInputTwiceCountsTwice) {
  const Output x = X("x");
  const GradientValue g = Differentiate({m.Add("y", "Plus", {x, x})}, {x})[0];
  EXPECT_EQ(node(g.dense).op->name, "AddN");
  EXPECT_EQ(node(g.dense).num_inputs(), 2);
}

TEST_F(GradientsTest, SumsGoWhereTheirFirstPartIsRatherThanToTheVariable) {
  const Output w = m.Add("w", "Var", {}, {{"shape", PartialShape{2}}});
  const Output y = m.Add("y", "Plus", {m.Add("a", "Scale", {w}), m.Add("b", "Scale", {w})});
  const GradientValue g = Differentiate({y}, {w})[0];
  EXPECT_EQ(node(g.dense).op->name, "AddN");
  EXPECT_EQ(node(g.dense).colocate_with, "b");
}

TEST_F(GradientsTest, SeveralYsAddUpAndTheirGivenGradientsAreUsed) {
  const Output x = X("x");
  const Output y = m.Add("y", "Pass", {x});
  const Output z = m.Add("z", "Pass", {x});
  const Output seed = X("seed");
  GradientOptions options;
  options.grad_ys = {seed};  // seed for y; z gets ones
  const GradientValue g = Differentiate({y, z}, {x}, options)[0];
  std::set<std::string> ops;
  for (Output part : node(g.dense).inputs) ops.insert(node(part).op->name);
  EXPECT_EQ(ops, (std::set<std::string>{"OnesLike", "X"}));
}

TEST_F(GradientsTest, AnXThatIsItselfAYHasTheSeedAsGradient) {
  const Output x = X("x");
  const GradientValue g = Differentiate({x}, {x})[0];
  ASSERT_TRUE(g.exists);
  EXPECT_EQ(node(g.dense).op->name, "OnesLike");
}

TEST_F(GradientsTest, AnXOnThePathOfAnotherGetsItsOwn) {
  const Output x = X("x");
  const Output h = m.Add("h", "Scale", {x});
  const std::vector<GradientValue> g = Differentiate({m.Add("y", "Scale", {h})}, {x, h, x});
  EXPECT_EQ(Name(g[1].dense), "gradients/y_grad/Scale");
  EXPECT_EQ(Name(g[0].dense), "gradients/h_grad/Scale");
  EXPECT_EQ(g[2].dense, g[0].dense);
}

TEST_F(GradientsTest, UnconnectedXsHaveNone) {
  const Output x = X("x");
  const Output other = X("other");
  const Output y = m.Add("y", "Scale", {x});
  const std::vector<GradientValue> g = Differentiate({y}, {x, other});
  EXPECT_TRUE(g[0].exists);
  EXPECT_FALSE(g[1].exists);
}

TEST_F(GradientsTest, NotDifferentiableOpsEndAPathSilently) {
  const Output x = X("x");
  const Output y = m.Add("y", "Plus", {m.Add("stopped", "Stop", {x}), m.Add("a", "Scale", {x})});
  const GradientValue g = Differentiate({y}, {x})[0];
  EXPECT_EQ(Name(g.dense), "gradients/a_grad/Scale");
  EXPECT_FALSE(Differentiate({m.Add("z", "Stop", {x})}, {x})[0].exists);
}

// The gradient starts at output `port` of an op whose inputs are x and y.
TEST_F(GradientsTest, WhatAnOpLacksOrForgetsIsAnErrorWhereAPathNeedsIt) {
  const Output x = X("x");
  const Output y = X("y");
  const Output z = X("z");
  int number = 0;
  const auto differentiate = [&](const char* op, int port, Output by) {
    const Output made = m.Add(StrCat("op", ++number), op, {x, y});
    const std::vector<Output> ys = {m.Add(StrCat("end", number), "Plus", {{made.node, port}, z})};
    return AddGradients(m.graph, ys, std::vector<Output>{by, z});
  };
  const auto fails = [&](const char* op, int port, Output by, const std::string& text) {
    const auto g = differentiate(op, port, by);
    ASSERT_FALSE(g.ok()) << op;
    EXPECT_NE(g.status().message().find(text), std::string::npos) << g.status().message();
  };
  const auto gives = [&](const char* op, int port, Output by, bool exists) {
    const auto g = differentiate(op, port, by);
    ASSERT_TRUE(g.ok()) << op << ": " << g.status().ToString();
    EXPECT_EQ((*g)[0].exists, exists) << op;
  };
  for (const char* op : {"ForgetsY", "LacksY"}) {
    fails(op, 1, y, "gives none of its output 'b' for its input 'y'; it is needed on the path 'y' -> 'op");
    gives(op, 1, x, true);
  }
  for (const char* op : {"FlatInY", "SaysZero"}) {
    gives(op, 0, y, false);
    gives(op, 0, x, true);
  }
  for (const char* op : {"ForgetsB", "LacksB"}) {
    fails(op, 1, x, "gives none of its output 'b' for its input 'x'");
    gives(op, 0, x, true);
  }
  gives("FlatB", 1, y, false);
  gives("FlatB", 0, y, true);
}

TEST_F(GradientsTest, OutputsThatNothingReachedCountAsZeros) {
  const Output x = X("x");
  const Output pair = m.Add("pair", "Pair", {x});
  const GradientValue g = Differentiate({m.Add("y", "Scale", {{pair.node, 1}})}, {x})[0];
  ASSERT_EQ(node(g.dense).op->name, "Plus");
  EXPECT_EQ(node(node(g.dense).inputs[0]).op->name, "ZerosLike");
  EXPECT_EQ(node(node(g.dense).inputs[0]).inputs[0], pair);
  EXPECT_EQ(Name(node(g.dense).inputs[1]), "gradients/y_grad/Scale");
}

TEST_F(GradientsTest, SecondDerivativesExtendTheGraphUnderAScopeOfTheirOwn) {
  const Output x = X("x");
  const GradientValue first = Differentiate({m.Add("y", "Scale", {x})}, {x})[0];
  const GradientValue second = Differentiate({first.dense}, {node(first.dense).inputs[0]})[0];
  ASSERT_TRUE(second.exists);
  EXPECT_EQ(Name(second.dense).substr(0, 12), "gradients_1/");
}

TEST_F(GradientsTest, OneSparseGradientStaysAsItIs) {
  const Output w = X("w", {100, 4});
  const Output rows = m.Add("rows", "Rows", {w, m.Add("i", "Int")});
  const GradientValue g = Differentiate({rows}, {w})[0];
  ASSERT_TRUE(g.is_sparse);
  EXPECT_EQ(Name(g.indices), "i");
  EXPECT_EQ(node(g.values).op->name, "OnesLike");
}

TEST_F(GradientsTest, SparseGradientsAreConcatenatedAndTheirIndicesWidened) {
  const Output w = X("w", {100, 4});
  const Output a = m.Add("a", "Rows", {w, m.Add("i", "Int")});
  const Output b = m.Add("b", "Rows", {w, m.Add("j", "Long")});
  const GradientValue g = Differentiate({a, b}, {w})[0];
  ASSERT_TRUE(g.is_sparse);
  ASSERT_EQ(node(g.indices).op->name, "ConcatV2");
  ASSERT_EQ(node(g.values).op->name, "ConcatV2");
  EXPECT_EQ(m.graph.dtype(g.indices), DType::kInt64);
  EXPECT_EQ(Name(node(g.indices).inputs[0]), "j");
  EXPECT_EQ(node(node(g.indices).inputs[1]).op->name, "Cast");
}

TEST_F(GradientsTest, SparseAndDenseMakeDense) {
  const Output w = X("w", {100, 4});
  const Output a = m.Add("a", "Rows", {w, m.Add("i", "Int")});
  const Output b = m.Add("b", "Scale", {w});
  const GradientValue g = Differentiate({a, b}, {w})[0];
  EXPECT_FALSE(g.is_sparse);
  ASSERT_EQ(node(g.dense).op->name, "AddN");
  const Node& scattered = node(node(g.dense).inputs[1]);
  ASSERT_EQ(scattered.op->name, "UnsortedSegmentSum");
  EXPECT_EQ(m.graph.ConstantValue(scattered.inputs[2])->scalar<int64_t>(), 100);
}

TEST_F(GradientsTest, SparseGradientsPassThroughOpsThatPassThemOn) {
  const Output w = X("w", {100, 4});
  const Output read = m.Add("read", "Pass", {w});
  const GradientValue g = Differentiate({m.Add("rows", "Rows", {read, m.Add("i", "Int")})}, {w})[0];
  EXPECT_TRUE(g.is_sparse);
}

TEST_F(GradientsTest, SparseGradientsBecomeDenseWhereAnOpComputesWithThem) {
  const Output w = X("w", {PartialShape::kUnknown, 4});
  const Output scaled = m.Add("scaled", "Scale", {w});
  const GradientValue g = Differentiate({m.Add("rows", "Rows", {scaled, m.Add("i", "Int")})}, {w})[0];
  EXPECT_FALSE(g.is_sparse);
  EXPECT_EQ(Name(g.dense), "gradients/scaled_grad/Scale");
  const Node& scattered = node(node(g.dense).inputs[0]);
  ASSERT_EQ(scattered.op->name, "UnsortedSegmentSum");
  EXPECT_EQ(node(scattered.inputs[2]).op->name, "StridedSlice");  // the row count is known in the step only
}

TEST_F(GradientsTest, DenseGradientScattersASparseOne) {
  const Output w = X("w", {100, 4});
  const GradientValue g = Differentiate({m.Add("rows", "Rows", {w, m.Add("i", "Int")})}, {w})[0];
  Result<Output> dense = DenseGradient(m.graph, g, w, "w_dense");
  ASSERT_TRUE(dense.ok()) << dense.status().ToString();
  EXPECT_EQ(Name(*dense), "w_dense/UnsortedSegmentSum");
}

TEST_F(GradientsTest, AnOpWithoutGradientIsNamedWithItsPath) {
  const Output w = X("w");
  const Output y = m.Add("loss", "Scale", {m.Add("odd", "Opaque", {m.Add("h", "Scale", {w})})});
  const Status status = Error({y}, {w});
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_NE(status.message().find("node 'odd' (op Opaque)"), std::string::npos) << status.message();
  EXPECT_NE(status.message().find("'w' -> 'h' -> 'odd' -> 'loss'"), std::string::npos) << status.message();
}

TEST_F(GradientsTest, AnAttrNamesTheOpWhoseGradientANodeHas) {
  const auto like = [](const char* op) { return AttrMap{{"_gradient_op_type", std::string(op)}}; };
  const Output x = X("x");
  const Output opaque = m.Add("opaque", "Opaque", {x}, like("Scale"));
  EXPECT_EQ(Name(Differentiate({opaque}, {x})[0].dense), "gradients/opaque_grad/Scale");
  const Output passed = m.Add("passed", "Scale", {x}, like("Pass"));
  EXPECT_EQ(node(Differentiate({passed}, {x})[0].dense).op->name, "OnesLike");
  EXPECT_FALSE(Differentiate({m.Add("stopped", "Scale", {x}, like("Stop"))}, {x})[0].exists);
  EXPECT_TRUE(Differentiate({m.Add("restored", "Stop", {x}, like("Pass"))}, {x})[0].exists);
}

TEST_F(GradientsTest, AGradientThatIsNotHereIsRefusedByName) {
  const Output w = X("w");
  const Output odd = m.Add("odd", "Scale", {w}, {{"_gradient_op_type", std::string("Guided")}});
  const Status status = Error({m.Add("loss", "Scale", {odd})}, {w});
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  for (const char* part : {"node 'odd' (op Scale)", "'Guided'", "'w' -> 'odd' -> 'loss'"}) {
    EXPECT_NE(status.message().find(part), std::string::npos) << status.message();
  }
}

TEST_F(GradientsTest, AGradientOfOpsOfAnotherFormIsRefused) {
  const Output w = X("w");
  for (const char* other : {"Plus", "Pair", "Rows"}) {
    const Output odd = m.Add(StrCat("odd_", other), "Scale", {w}, {{"_gradient_op_type", std::string(other)}});
    const Status status = Error({odd}, {w});
    EXPECT_EQ(status.code(), Code::kInvalidArgument) << other;
    EXPECT_NE(status.message().find(StrCat("asks for the gradient of ", other)), std::string::npos) << status.message();
  }
}

TEST_F(GradientsTest, AnOpWithoutGradientOffThePathDoesNoHarm) {
  const Output w = X("w");
  const Output y = m.Add("y", "Plus", {m.Add("odd", "Opaque", {X("data")}), w});
  EXPECT_TRUE(Differentiate({y}, {w})[0].exists);
}

TEST_F(GradientsTest, AnExitOutsideOfALoopIsRefusedByName) {
  const Output w = X("w");
  const Status status = Error({m.Add("out", "Exit", {w})}, {w});
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_NE(status.message().find("node 'out' (op Exit)"), std::string::npos) << status.message();
}

TEST_F(GradientsTest, IntegersAreRefused) {
  const Output w = X("w");
  const Output i = m.Add("i", "Int");
  const Status of_x = Error({w}, {i});
  EXPECT_EQ(of_x.code(), Code::kInvalidArgument);
  EXPECT_NE(of_x.message().find("'i': it is int32"), std::string::npos) << of_x.message();
  EXPECT_EQ(Error({i}, {w}).code(), Code::kInvalidArgument);
}

TEST_F(GradientsTest, GivenGradientsMustFit) {
  const Output x = X("x");
  GradientOptions options;
  options.grad_ys = {X("g", {3})};
  EXPECT_EQ(Error({m.Add("y", "Pass", {x})}, {x}, options).code(), Code::kInvalidArgument);
}

TEST_F(GradientsTest, AGradientOfTheWrongTypeIsTheFunctionsFault) {
  const Output x = X("x");
  const Status status = Error({m.Add("y", "WrongType", {x})}, {x});
  EXPECT_EQ(status.code(), Code::kInternal);
  EXPECT_NE(status.message().find("op WrongType"), std::string::npos) << status.message();
}

TEST_F(GradientsTest, ValuesThatAreNotThereAreRefused) {
  const Output x = X("x");
  EXPECT_EQ(Error({x}, {{x.node, 7}}).code(), Code::kInvalidArgument);
  EXPECT_EQ(Error({{-1, 0}}, {x}).code(), Code::kInvalidArgument);
}

// Every value has two readers: as many paths as 2^25000.
TEST_F(GradientsTest, ManyPathsTakeLinearTime) {
  const Output x = X("x");
  Output y = x;
  for (int i = 0; i < 25'000; ++i) y = m.Add(StrCat("n", i), "Plus", {y, y});
  const GradientValue g = Differentiate({y}, {x})[0];
  ASSERT_TRUE(g.exists);
  EXPECT_EQ(m.graph.num_nodes(), 1 + 25'000 + 1 + 25'000);
}

}  // namespace
}  // namespace dfrun
