#include "src/passes/prune.h"

#include <gtest/gtest.h>

#include <set>

#include "src/graph/order/read_apart.h"
#include "tests/unit/testing/graph_evaluator.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using testing::GraphEvaluator;
using testing::GraphMaker;

std::set<std::string> Names(const Graph& graph) {
  std::set<std::string> names;
  for (const Node& node : graph.nodes()) names.insert(node.name);
  return names;
}

class PruneTest : public ::testing::Test {
 protected:
  GraphMaker m;

  Graph Prune(const RunSignature& signature) {
    Result<Graph> pruned = PruneForRun(m.graph, signature);
    EXPECT_TRUE(pruned.ok()) << pruned.status().ToString();
    return pruned.ok() ? *std::move(pruned) : Graph();
  }
  Status Error(const RunSignature& signature) { return PruneForRun(m.graph, signature).status(); }
};

TEST_F(PruneTest, KeepsWhatAFetchNeeds) {
  const Output a = m.Scalar("a", 1.0);
  const Output b = m.Add("b", "Neg", {a});
  m.Add("unused", "Neg", {b});
  RunSignature signature;
  signature.fetches = {b};
  EXPECT_EQ(Names(Prune(signature)), (std::set<std::string>{"a", "b", "_retval_b_0"}));
}

// Nodes of each kind use a node whose outputs are read apart: one reads one output, one waits for it, one feeds it, one
// fetches it.
TEST_F(PruneTest, EdgesLeadPastNodesThatAreReadApart) {
  const Output a = m.Scalar("a", 1.0);
  const Output b = m.Scalar("b", 2.0);
  const Output effect = m.Scalar("effect", 3.0);
  NodeSpec spec;
  spec.name = "both";
  spec.op = "IdentityN";
  spec.inputs = {a, b};
  spec.control_inputs = {effect.node};
  spec.attrs.Set(kReadApartAttr, true);
  const Output both = m.Add(spec);
  const Output second = {both.node, 1};
  const Output reader = m.Add("reader", "Neg", {second});
  NodeSpec after;
  after.name = "after";
  after.op = "NoOp";
  after.control_inputs = {both.node};
  const Output waiter = m.Add(after);

  RunSignature signature;
  signature.fetches = {reader};
  EXPECT_EQ(Names(Prune(signature)), (std::set<std::string>{"b", "reader", "_retval_reader_0"}));
  signature.feeds = {second};
  EXPECT_EQ(Names(Prune(signature)), (std::set<std::string>{"_arg_both_1", "reader", "_retval_reader_0"}));
  RunSignature waits;
  waits.targets = {waiter.node};
  EXPECT_EQ(Names(Prune(waits)), (std::set<std::string>{"effect", "after"}));
  RunSignature whole;
  whole.targets = {both.node};
  EXPECT_EQ(Names(Prune(whole)), (std::set<std::string>{"a", "b", "effect", "both"}));
  whole = {};
  whole.fetches = {both, reader};
  const Graph pruned = Prune(whole);
  EXPECT_EQ(Names(pruned),
            (std::set<std::string>{"a", "b", "effect", "both", "reader", "_retval_both_0", "_retval_reader_0"}));
  EXPECT_EQ(pruned.node(pruned.node(pruned.Find("reader")).inputs[0].node).name, "b");
}

TEST_F(PruneTest, AnInnerValueMayBeFed) {
  const Output a = m.Placeholder("a", PartialShape::Scalar());
  const Output b = m.Add("b", "Neg", {a});
  const Output c = m.Add("c", "Neg", {b});
  RunSignature signature;
  signature.feeds = {b};
  signature.fetches = {c};
  const Graph pruned = Prune(signature);
  EXPECT_EQ(Names(pruned), (std::set<std::string>{"_arg_b_0", "c", "_retval_c_0"}));
  GraphEvaluator evaluator({{"_arg_b_0", {Tensor::Scalar(3.0)}}});
  ASSERT_EQ(*evaluator.Run(pruned), 0);
  EXPECT_EQ(evaluator.values().at("_retval_c_0")[0].scalar<double>(), -3.0);
}

TEST_F(PruneTest, OneOutputOfSeveralMayBeFed) {
  const Output both = m.Add("both", "IdentityN", {m.Scalar("a", 1.0), m.Scalar("b", 2.0)});
  const Output sum = m.Add("sum", "Add", {both, {both.node, 1}});
  RunSignature signature;
  signature.feeds = {{both.node, 1}};
  signature.fetches = {sum};
  const Graph pruned = Prune(signature);
  GraphEvaluator evaluator({{"_arg_both_1", {Tensor::Scalar(10.0)}}});
  ASSERT_EQ(*evaluator.Run(pruned), 0);
  EXPECT_EQ(evaluator.values().at("_retval_sum_0")[0].scalar<double>(), 11.0);
}

TEST_F(PruneTest, AFedValueMayBeFetched) {
  const Output a = m.Placeholder("a");
  RunSignature signature;
  signature.feeds = {a};
  signature.fetches = {a, a};
  EXPECT_EQ(Names(Prune(signature)), (std::set<std::string>{"_arg_a_0", "_retval_a_0", "_retval_a_0_1"}));
}

TEST_F(PruneTest, ArgsAndRetvalsCountFeedsAndFetches) {
  const Output a = m.Placeholder("a");
  const Output b = m.Placeholder("b");
  RunSignature signature;
  signature.feeds = {b, a};  // a is not used
  signature.fetches = {m.Add("c", "Neg", {b})};
  const Graph pruned = Prune(signature);
  EXPECT_EQ(*pruned.node(pruned.Find("_arg_b_0")).attrs.Get<int64_t>("index"), 0);
  EXPECT_EQ(*pruned.node(pruned.Find("_arg_a_0")).attrs.Get<int64_t>("index"), 1);
  EXPECT_EQ(*pruned.node(pruned.Find("_retval_c_0")).attrs.Get<int64_t>("index"), 0);
}

TEST_F(PruneTest, TargetsWithoutOutputsAndControlEdgesAreKept) {
  const Output a = m.Scalar("a", 1.0);
  NodeSpec spec;
  spec.name = "done";
  spec.op = "NoOp";
  spec.control_inputs = {m.Add("effect", "Neg", {a}).node};
  const Output done = m.Add(spec);
  RunSignature signature;
  signature.targets = {done.node};
  const Graph pruned = Prune(signature);
  EXPECT_EQ(Names(pruned), (std::set<std::string>{"a", "effect", "done"}));
  EXPECT_EQ(pruned.node(pruned.Find("done")).control_inputs, std::vector<NodeId>{pruned.Find("effect")});
}

TEST_F(PruneTest, WaitingForAFedPlaceholderIsWaitingForItsArg) {
  const Output x = m.Placeholder("x");
  NodeSpec spec;
  spec.name = "c";
  spec.op = "Neg";
  spec.inputs = {m.Scalar("a", 1.0)};
  spec.control_inputs = {x.node};
  RunSignature signature;
  signature.feeds = {x};
  signature.fetches = {m.Add(spec)};
  const Graph pruned = Prune(signature);
  EXPECT_EQ(pruned.Find("x"), -1);
  EXPECT_EQ(pruned.node(pruned.Find("c")).control_inputs, std::vector<NodeId>{pruned.Find("_arg_x_0")});
}

TEST_F(PruneTest, ShapesFollowWhatIsFed) {
  const Output x = m.Placeholder("x", {PartialShape::kUnknown, 3});
  const Output y = m.Add("y", "Neg", {x});
  RunSignature signature;
  signature.feeds = {x};
  signature.feed_shapes = {PartialShape{5, 3}};
  signature.fetches = {y};
  const Graph pruned = Prune(signature);
  EXPECT_EQ(pruned.shape({pruned.Find("y"), 0}), (PartialShape{5, 3}));
  signature.feed_shapes = {PartialShape{5, 4}};
  EXPECT_EQ(Error(signature).code(), Code::kInvalidArgument);
}

TEST_F(PruneTest, ShapesThatDoNotFitTogetherAreAnErrorAtTheirNode) {
  const Output x = m.Placeholder("x");
  const Output y = m.Add("y", "Add", {x, m.Const("c", Tensor(DType::kDouble, Shape({2})))});
  RunSignature signature;
  signature.feeds = {x};
  signature.feed_shapes = {PartialShape{3}};
  signature.fetches = {y};
  EXPECT_NE(Error(signature).message().find("node 'y' (op Add)"), std::string::npos);
}

TEST_F(PruneTest, WrongSignaturesAreRefused) {
  const Output a = m.Scalar("a", 1.0);
  RunSignature twice;
  twice.feeds = {a, a};
  EXPECT_EQ(Error(twice).code(), Code::kInvalidArgument);
  RunSignature nowhere;
  nowhere.fetches = {{a.node, 1}};
  EXPECT_EQ(Error(nowhere).code(), Code::kInvalidArgument);
  RunSignature no_target;
  no_target.targets = {99};
  EXPECT_EQ(Error(no_target).code(), Code::kInvalidArgument);
}

TEST_F(PruneTest, AVariableThatIsUpdatedCannotBeFed) {
  const Output v = m.Add("v", "VariableV2", {}, {{"dtype", DType::kDouble}, {"shape", PartialShape::Scalar()}});
  const Output set = m.Add("set", "Assign", {v, m.Scalar("a", 1.0)});
  RunSignature signature;
  signature.feeds = {v};
  signature.targets = {set.node};
  const Status status = Error(signature);
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_NE(status.message().find("'v' cannot be fed"), std::string::npos) << status.message();
}

TEST_F(PruneTest, NodesStayTogetherWhenTheOneTheyWereColocatedWithGoes) {
  NodeSpec home;
  home.name = "home";
  home.op = "Neg";
  home.inputs = {m.Scalar("a", 1.0)};
  home.device = "/job:ps";
  m.Add(home);
  std::vector<Output> fetches;
  for (const char* name : {"p", "q"}) {
    NodeSpec spec;
    spec.name = name;
    spec.op = "Neg";
    spec.inputs = {{0, 0}};
    spec.colocate_with = "home";
    fetches.push_back(m.Add(spec));
  }
  RunSignature signature;
  signature.fetches = fetches;
  const Graph pruned = Prune(signature);
  EXPECT_EQ(pruned.Find("home"), -1);
  const Node& p = pruned.node(pruned.Find("p"));
  const Node& q = pruned.node(pruned.Find("q"));
  EXPECT_EQ(p.colocate_with, "");
  EXPECT_EQ(p.device, "/job:ps");
  EXPECT_EQ(q.colocate_with, "p");
}

}  // namespace
}  // namespace dfrun
