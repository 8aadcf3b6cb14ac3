#include "src/partition/remote_reads.h"

#include <gtest/gtest.h>

#include <map>

#include "src/partition/partition.h"
#include "src/placement/placer.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using testing::GraphMaker;

// Variables are on rank 0, their readers on rank 1.
class RemoteReadsTest : public ::testing::Test {
 protected:
  RemoteReadsTest() {
    v_ = On(0, "v", "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({2})}});
    x_ = On(0, "x", "Const", {}, {{"dtype", DType::kFloat}, {"value", Tensor::Vector<float>({1, 2})}});
  }

  Output On(int rank, const std::string& name, const std::string& op, std::vector<Output> inputs = {},
            AttrMap attrs = {}, std::vector<NodeId> control = {}) {
    NodeSpec spec;
    spec.name = name;
    spec.op = op;
    spec.inputs = std::move(inputs);
    spec.attrs = std::move(attrs);
    spec.control_inputs = std::move(control);
    spec.device = StrCat("/job:worker/task:", rank, "/device:cpu:0");
    return m_.Add(std::move(spec));
  }
  Output Update(const std::string& name, std::vector<NodeId> control = {}) {
    return On(0, name, "AssignAdd", {v_, x_}, {}, std::move(control));
  }
  Output Read(const std::string& name, std::vector<NodeId> control = {}) {
    return On(1, name, "Neg", {v_}, {}, std::move(control));
  }

  // Runs the pass. Returns false if there was nothing to do.
  bool Order() {
    Result<std::optional<Graph>> made = OrderRemoteReads(m_.graph);
    EXPECT_TRUE(made.ok()) << made.status().ToString();
    if (!made.ok() || !*made) return false;
    ordered_.graph = **std::move(made);
    EXPECT_TRUE(ordered_.graph.TopologicalOrder().ok());
    return true;
  }
  // SourceOf() returns the node that the reader reads in place of the variable; WaitsFor() returns what that node waits
  // for.
  std::string SourceOf(const std::string& reader) const { return ordered_.InputsOf(reader)[0]; }
  std::vector<std::string> WaitsFor(const std::string& reader) const { return ordered_.ControlsOf(SourceOf(reader)); }

  GraphMaker m_;
  GraphMaker ordered_;
  Output v_;
  Output x_;
};

using Names = std::vector<std::string>;

TEST_F(RemoteReadsTest, AReadThatComesAfterNoUpdateIsSentAsTheVariableIs) {
  const Output r = Read("r");
  Update("u", {r.node});
  On(0, "here", "Neg", {v_}, {}, {m_.graph.Find("u")});
  EXPECT_FALSE(Order());
}

TEST_F(RemoteReadsTest, AReadWaitsForTheUpdatesThatItsReaderWaitsFor) {
  const Output a = Update("a");
  const Output b = Update("b", {a.node});
  Read("first");
  Read("second", {a.node});
  Read("third", {b.node});
  Read("fourth", {b.node});
  ASSERT_TRUE(Order());
  EXPECT_EQ(SourceOf("first"), "v");
  EXPECT_EQ(WaitsFor("second"), Names{"a"});
  EXPECT_EQ(WaitsFor("third"), Names{"b"});
  EXPECT_EQ(SourceOf("third"), SourceOf("fourth"));
  EXPECT_EQ(ordered_.Find(SourceOf("third"))->device, m_.graph.node(v_.node).device);
}

// An update of another variable does not matter.
TEST_F(RemoteReadsTest, OtherVariablesDoNotCount) {
  const Output w = On(0, "w", "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({2})}});
  const Output u = On(0, "u", "AssignAdd", {w, x_});
  Read("r", {u.node});
  EXPECT_FALSE(Order());
}

// A variable is recognised by the name that two nodes share, by a reference that is passed on, and behind a handle.
TEST_F(RemoteReadsTest, AVariableIsWhateverGivesIt) {
  const AttrMap named = {{"dtype", DType::kFloat}, {"shape", PartialShape({2})}, {"shared_name", "v"}};
  const Output other = On(0, "other", "VariableV2", {}, named);
  const Output handle = On(0, "handle", "VarHandleOp", {}, named);
  const Output on = On(0, "on", "RefIdentity", {other});
  const Output u = On(0, "u", "AssignSub", {on, x_});
  const Output h = On(0, "h", "AssignAddVariableOp", {handle, x_}, {{"dtype", DType::kFloat}});
  Read("r", {u.node});
  Read("s", {h.node});
  ASSERT_TRUE(Order());
  EXPECT_EQ(WaitsFor("r"), Names{"u"});
  EXPECT_EQ(WaitsFor("s"), Names{"h"});
}

// The path to the reader leaves the variable's device behind "b": the read waits for "b", which costs no message.
TEST_F(RemoteReadsTest, WhatTheReaderWaitsForByOtherNodesCounts) {
  const Output u = Update("u");
  const Output b = On(0, "b", "Neg", {x_}, {}, {u.node});
  const Output c = On(1, "c", "Neg", {b});
  const Output d = On(1, "d", "NoOp", {}, {}, {c.node});
  On(1, "r", "AddV2", {v_, c});
  Read("s", {d.node});
  ASSERT_TRUE(Order());
  EXPECT_EQ(WaitsFor("r"), Names{"b"});
  EXPECT_EQ(SourceOf("r"), SourceOf("s"));
}

// The Merge on the reader's device tells that a side has run, whichever it was.
TEST_F(RemoteReadsTest, ThroughAMergeItIsTheMergeThatIsAwaited) {
  const Output pred = On(0, "pred", "Placeholder", {}, {{"dtype", DType::kBool}, {"shape", PartialShape::Scalar()}});
  const Output sides = On(0, "sides", "RefSwitch", {v_, pred});
  const Output u = On(0, "u", "AssignAdd", {{sides.node, 1}, x_});
  const Output on = On(0, "when_on", "Identity", {u});
  const Output off = On(0, "when_off", "Identity", {{sides.node, 0}});
  const Output merge = On(1, "merge", "Merge", {off, on}, {{"N", int64_t{2}}});
  On(1, "r", "AddV2", {v_, merge});
  ASSERT_TRUE(Order());
  EXPECT_EQ(WaitsFor("r"), Names{"merge"});
  const Node& read = *ordered_.Find(SourceOf("r"));
  EXPECT_EQ(read.op->name, "Identity");
  EXPECT_EQ(SourceOf("when_off"), "sides");
}

// A Merge runs even if a node that it waits for has not.
TEST_F(RemoteReadsTest, AMergeReadsWhateverBecomesOfWhatItWaitsFor) {
  const Output u = Update("u");
  const Output y = On(1, "y", "Neg", {x_});
  On(1, "r", "Merge", {v_, y}, {{"N", int64_t{2}}}, {u.node});
  ASSERT_TRUE(Order());
  const Names waits = WaitsFor("r");
  ASSERT_EQ(waits.size(), 1U);
  EXPECT_EQ(ordered_.Find(waits[0])->op->name, "ControlTrigger");
  EXPECT_EQ(ordered_.ControlsOf(waits[0]), Names{"u"});
}

// A read of an iteration comes after the work of the iteration before, if the graph says that it waits for that.
TEST_F(RemoteReadsTest, AnIterationComesAfterTheOneBefore) {
  const AttrMap once = {{"frame_name", "f"}, {"is_constant", false}};
  const AttrMap always = {{"frame_name", "f"}, {"is_constant", true}};
  const Output zero = On(0, "zero", "Const", {}, {{"dtype", DType::kInt32}, {"value", Tensor::Scalar<int32_t>(0)}});
  const Output merge =
      On(0, "i", "Merge", {On(0, "enter", "Enter", {zero}, once), Output()}, {{"T", DType::kInt32}, {"N", int64_t{2}}});
  const Output ref = On(0, "ref", "RefEnter", {v_}, always);
  const Output by = On(0, "by", "Enter", {On(0, "x2", "Neg", {x_})}, always);
  const Output less = On(0, "less", "Less", {merge, On(0, "two", "Const", {}, m_.graph.node(zero.node).attrs)});
  const Output sides = On(0, "sides", "Switch", {merge, On(0, "cond", "LoopCond", {less})});
  const Output inside = On(0, "inside", "Identity", {{sides.node, 1}});
  On(1, "r", "AddN", {ref, ref}, {{"N", int64_t{2}}}, {inside.node});
  const Output u = On(0, "u", "AssignAdd", {ref, by}, {}, {m_.graph.Find("r")});
  const Output next = On(0, "next", "NextIteration", {inside}, {}, {u.node});
  ASSERT_TRUE(m_.graph.SetInput(merge.node, 1, next).ok());
  ASSERT_TRUE(Order());
  EXPECT_EQ(WaitsFor("r"), Names{"inside"});
}

// An update that comes after what reads the variable waits on its own device alone: no message goes back.
TEST_F(RemoteReadsTest, ALaterUpdateWaitsForTheRead) {
  const Output a = Update("a");
  const Output r = Read("r", {a.node});
  const Output b = Update("b", {a.node, r.node});
  m_.node(b).attrs.Set("_after_reads", true);
  ASSERT_TRUE(Order());
  EXPECT_EQ(ordered_.ControlsOf("b"), (Names{"a", SourceOf("r")}));
  int32_t channels = 0;
  ASSERT_TRUE(PartitionGraph(m_.graph, *MakeCluster({}, 2), &channels).ok());
  EXPECT_EQ(channels, 2);  // the variable, and that "a" has run
}

// An update whose output is read does not wait for that read.
TEST_F(RemoteReadsTest, AReaderOfTwoUpdatesComesAfterBoth) {
  const Output a = Update("a");
  const Output b = Update("b", {a.node});
  m_.node(b).attrs.Set("_after_reads", true);
  On(1, "r", "Add", {a, b});
  ASSERT_TRUE(Order());
  const Names sources = ordered_.InputsOf("r");
  EXPECT_EQ(ordered_.ControlsOf(sources[0]), Names{"b"});
  EXPECT_EQ(ordered_.ControlsOf("b"), Names{"a"});
}

}  // namespace
}  // namespace dfrun
