#include "src/partition/distributed_loops.h"

#include <gtest/gtest.h>

#include <set>

#include "src/graph/graph_def/text_dump.h"
#include "src/partition/partition.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using testing::GraphMaker;

std::string Cpu(int index) {
  return StrCat("/job:worker/task:0/device:cpu:", index);
}

// The loop while (x < limit) x = x + step. All nodes are on cpu:0; `limit` and `step` are from outside.
class DistributedLoopsTest : public ::testing::Test {
 protected:
  struct Loop {
    Output limit, step, enter, merge, cond, branch, add, next, exit;
  };

  Output On(int device, const std::string& name, const std::string& op, std::vector<Output> inputs = {},
            AttrMap attrs = {}) {
    const Output added = m.Add(name, op, std::move(inputs), std::move(attrs));
    m.node(added).device = Cpu(device);
    return added;
  }
  Output Value(const std::string& name) {
    return On(0, name, "Placeholder", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape::Scalar()}});
  }
  Output Enter(const std::string& name, Output value, const std::string& frame, bool is_constant) {
    return On(0, name, "Enter", {value},
              {{"frame_name", frame}, {"is_constant", is_constant}, {"parallel_iterations", 7}});
  }

  // Makes a loop in another frame; the names begin with `name`.
  Loop MakeLoop(const std::string& name, Output x, Output limit, Output step) {
    Loop loop;
    loop.limit = Enter(name + "limit", limit, name, true);
    loop.step = Enter(name + "step", step, name, true);
    loop.enter = Enter(name + "enter", x, name, false);
    NodeSpec merge;
    merge.name = name + "merge";
    merge.op = "Merge";
    merge.inputs = {loop.enter, Output{}};
    merge.attrs = {{"T", DType::kFloat}, {"N", 2}};
    merge.device = Cpu(0);
    loop.merge = m.Add(std::move(merge));
    loop.cond = On(0, name + "cond", "LoopCond", {On(0, name + "less", "Less", {loop.merge, loop.limit})});
    loop.branch = On(0, name + "branch", "Switch", {loop.merge, loop.cond});
    loop.add = On(0, name + "add", "AddV2", {{loop.branch.node, 1}, loop.step});
    loop.next = On(0, name + "next", "NextIteration", {loop.add});
    EXPECT_TRUE(m.graph.SetInput(loop.merge.node, 1, loop.next).ok());
    loop.exit = On(0, name + "exit", "Exit", {{loop.branch.node, 0}});
    return loop;
  }
  Loop MakeLoop() { return MakeLoop("loop", Value("x"), Value("limit"), Value("step")); }

  struct Variable {
    Output merge, branch, body, next;
  };
  // Adds while (...) other = -other on cpu:0.
  Variable AddVariable(const Loop& loop, const std::string& name) {
    Variable made;
    NodeSpec merge;
    merge.name = name + "merge";
    merge.op = "Merge";
    merge.inputs = {Enter(name + "enter", Value(name), "loop", false), Output{}};
    merge.attrs = {{"T", DType::kFloat}, {"N", 2}};
    merge.device = Cpu(0);
    made.merge = m.Add(std::move(merge));
    made.branch = On(0, name + "branch", "Switch", {made.merge, loop.cond});
    made.body = On(0, name + "body", "Neg", {{made.branch.node, 1}});
    made.next = On(0, name + "next", "NextIteration", {made.body});
    EXPECT_TRUE(m.graph.SetInput(made.merge.node, 1, made.next).ok());
    return made;
  }
  // Returns the value that tells a device whether the loop goes on; invalid if the condition itself does.
  Output SignalOf(const DistributedFrames& frames, const Loop& loop, int device) const {
    const Node& merge = m.graph.node(frames.drivers.at({frames.tree.of_node[loop.merge.node], Cpu(device)}));
    const Node& next = m.graph.node(merge.inputs[1].node);
    return next.control_inputs.empty() ? Output() : m.graph.node(next.control_inputs[0]).inputs[0];
  }

  Result<DistributedFrames> Distribute() {
    DF_TRY(PrepareLoops(m.graph));
    return DistributeLoops(m.graph);
  }
  DistributedFrames Spread() {
    Result<DistributedFrames> frames = Distribute();
    EXPECT_TRUE(frames.ok()) << frames.status().ToString();
    return frames.ok() ? *std::move(frames) : DistributedFrames();
  }
  const Node& Named(const std::string& name) const { return m.graph.node(m.graph.Find(name)); }

  GraphMaker m;
};

TEST_F(DistributedLoopsTest, ALoopOnOneDeviceIsLeftAlone) {
  const Loop loop = MakeLoop();
  On(1, "after", "Neg", {loop.exit});
  const std::string before = DumpText(m.graph);
  EXPECT_TRUE(Spread().drivers.empty());
  EXPECT_EQ(DumpText(m.graph), before);
}

TEST_F(DistributedLoopsTest, EachDeviceOfALoopGetsAControlLoopThatTheConditionDrives) {
  const Loop loop = MakeLoop();
  m.node(loop.add).device = Cpu(1);
  On(1, "reads_it", "Identity", {loop.cond});
  const DistributedFrames frames = Spread();
  ASSERT_EQ(frames.drivers.size(), 2U);
  for (int device : {0, 1}) {
    const Node& merge = m.graph.node(frames.drivers.at({frames.tree.of_node[loop.merge.node], Cpu(device)}));
    EXPECT_EQ(merge.op->name, "Merge");
    const Node& enter = m.graph.node(merge.inputs[0].node);
    EXPECT_EQ(*enter.attrs.Get<std::string>("frame_name"), "loop");
    EXPECT_EQ(*enter.attrs.Get<int64_t>("parallel_iterations"), 7);
    const Node& next = m.graph.node(merge.inputs[1].node);
    EXPECT_EQ(next.op->name, "NextIteration");
    const Node& branch = m.graph.node(next.inputs[0].node);
    EXPECT_EQ(next.inputs[0].port, 1);
    EXPECT_EQ(branch.inputs[0], (Output{merge.id, 0}));
    EXPECT_EQ(branch.inputs[1], loop.cond);
    for (const Node* node : {&merge, &enter, &next, &branch}) EXPECT_EQ(node->device, Cpu(device)) << node->name;
  }
}

TEST_F(DistributedLoopsTest, AValueThatADeviceWaitsForInEachIterationTellsItOfTheEnd) {
  const Loop loop = MakeLoop();
  m.node(loop.add).device = Cpu(1);
  const DistributedFrames frames = Spread();
  EXPECT_EQ(SignalOf(frames, loop, 1), (Output{loop.branch.node, 1}));
  EXPECT_FALSE(SignalOf(frames, loop, 0).valid());
  for (const Node& node : m.graph.nodes()) {
    for (const Output& input : node.inputs) EXPECT_TRUE(input.node != loop.cond.node || node.device == Cpu(0));
  }
}

TEST_F(DistributedLoopsTest, SoDoesOneThatTheConditionDoesNotDependOn) {
  const Loop loop = MakeLoop();
  const Variable other = AddVariable(loop, "other");
  m.node(other.body).device = Cpu(1);
  EXPECT_EQ(SignalOf(Spread(), loop, 1), (Output{other.branch.node, 1}));
}

TEST_F(DistributedLoopsTest, AValueThatMayBeDeadBeforeTheEndTellsNothing) {
  const Loop loop = MakeLoop();
  const Variable other = AddVariable(loop, "other");
  // The value that comes back is dead in iterations whose x is not below the limit twice.
  const Output twice = On(0, "twice", "Less", {{loop.branch.node, 1}, loop.step});
  m.node(other.next).inputs[0] = {On(0, "side", "Switch", {other.body, twice}).node, 1};
  On(1, "reader", "Neg", {{other.branch.node, 1}});
  EXPECT_FALSE(SignalOf(Spread(), loop, 1).valid());
}

TEST_F(DistributedLoopsTest, AVariableThatEntersDeadTellsNothing) {
  const Loop loop = MakeLoop();
  const Output taken = On(0, "taken", "Placeholder", {}, {{"dtype", DType::kBool}, {"shape", PartialShape::Scalar()}});
  const Variable other = AddVariable(loop, "other");
  Node& enter = m.node(m.node(other.merge).inputs[0]);
  enter.inputs[0] = {On(0, "side", "Switch", {Value("y"), taken}).node, 1};
  m.node(other.body).device = Cpu(1);
  EXPECT_FALSE(SignalOf(Spread(), loop, 1).valid());
}

// Without the condition the device would begin its work later than it may.
TEST_F(DistributedLoopsTest, ADeviceThatHasOtherWorkInAnIterationGetsTheCondition) {
  const Loop loop = MakeLoop();
  m.node(loop.add).device = Cpu(1);
  On(1, "of_the_merge", "Neg", {loop.merge});
  EXPECT_FALSE(SignalOf(Spread(), loop, 1).valid());
}

// Otherwise it could run ahead of a device that only receives.
TEST_F(DistributedLoopsTest, TheDeviceOfTheConditionHearsOfEveryIterationOfTheOthers) {
  const Loop loop = MakeLoop();
  m.node(loop.add).device = Cpu(1);
  On(2, "looks_on", "Neg", {{loop.branch.node, 1}});
  On(3, "looks_on_too", "Neg", {loop.add});
  const DistributedFrames frames = Spread();
  std::set<NodeId> answers;
  for (const Node& node : m.graph.nodes()) {
    if (node.op->name != "NoOp") continue;
    EXPECT_EQ(node.device, Cpu(0));
    ASSERT_EQ(node.control_inputs.size(), 1U);
    answers.insert(node.control_inputs[0]);
  }
  const int32_t frame = frames.tree.of_node[loop.merge.node];  // cpu:1 answers by its sums
  EXPECT_EQ(answers, (std::set<NodeId>{frames.drivers.at({frame, Cpu(2)}), frames.drivers.at({frame, Cpu(3)})}));
}

TEST_F(DistributedLoopsTest, WhatEntersALoopStandsWhereItIsRead) {
  const Loop loop = MakeLoop();
  On(0, "other", "Neg", {loop.step});
  m.node(loop.add).device = Cpu(1);
  Spread();
  EXPECT_EQ(m.node(loop.limit).device, Cpu(0));
  EXPECT_EQ(m.node(loop.step).device, Cpu(0));
  const Node& copy = m.graph.node(m.node(loop.add).inputs[1].node);
  EXPECT_NE(copy.id, loop.step.node);
  EXPECT_EQ(copy.op->name, "Enter");
  EXPECT_EQ(copy.device, Cpu(1));
  EXPECT_EQ(copy.inputs, m.node(loop.step).inputs);
}

TEST_F(DistributedLoopsTest, ExitsStandWhereTheirValueIsAndNextIterationsWhereItGoes) {
  const Loop loop = MakeLoop();
  m.node(loop.exit).device = Cpu(1);
  m.node(loop.next).device = Cpu(1);
  EXPECT_TRUE(Spread().drivers.empty());  // all of the loop is on cpu:0 now
  EXPECT_EQ(m.node(loop.exit).device, Cpu(0));
  EXPECT_EQ(m.node(loop.next).device, Cpu(0));
}

TEST_F(DistributedLoopsTest, IterationsOfTheOuterLoopBeginTheControlLoopsOfTheInner) {
  const Loop outer = MakeLoop("outer", Value("x"), Value("limit"), Value("step"));
  const Loop inner = MakeLoop("inner", {outer.branch.node, 1}, outer.limit, outer.step);
  m.node(inner.add).device = Cpu(1);
  const DistributedFrames frames = Spread();
  ASSERT_EQ(frames.drivers.size(), 4U);
  for (int device : {0, 1}) {
    const NodeId around = frames.drivers.at({frames.tree.of_node[outer.merge.node], Cpu(device)});
    const NodeId inside = frames.drivers.at({frames.tree.of_node[inner.merge.node], Cpu(device)});
    EXPECT_EQ(m.graph.node(m.graph.node(inside).inputs[0].node).inputs[0], (Output{around, 0}));
  }
}

TEST_F(DistributedLoopsTest, ALoopAcrossDevicesHasOneCondition) {
  Loop loop = MakeLoop();
  m.node(loop.add).device = Cpu(1);
  m.node(loop.branch).inputs[1] = m.node(loop.cond).inputs[0];
  m.node(loop.cond).inputs[0] =
      On(0, "elsewhere", "Const", {}, {{"dtype", DType::kBool}, {"value", Tensor::Scalar(true)}});
  const Status none = Distribute().status();
  EXPECT_EQ(none.code(), Code::kInvalidArgument);
  EXPECT_NE(none.message().find("no LoopCond"), std::string::npos) << none.message();
}

TEST_F(DistributedLoopsTest, TwoConditionsAreOneTooMany) {
  const Loop loop = MakeLoop();
  m.node(loop.add).device = Cpu(1);
  On(0, "second", "LoopCond", {m.node(loop.cond).inputs[0]});
  const Status status = Distribute().status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_NE(status.message().find("'second'"), std::string::npos) << status.message();
}

// The part of the device that only adds.
TEST_F(DistributedLoopsTest, ReceivesOfALoopWaitForTheControlLoop) {
  const Loop loop = MakeLoop();
  m.node(loop.add).device = Cpu(1);
  Cluster cluster;
  for (int device : {0, 1}) cluster.devices.push_back({*DeviceName::Parse(Cpu(device)), 0});
  int32_t next_channel = 0;
  const Result<std::vector<Partition>> parts = PartitionGraph(m.graph, cluster, &next_channel);
  ASSERT_TRUE(parts.ok()) << parts.status().ToString();
  ASSERT_EQ(parts->size(), 2U);
  std::string text;
  for (const Node& node : (*parts)[1].graph.nodes()) {
    text += StrCat(node.name, " = ", node.op->name, "(");
    for (const Output& input : node.inputs) text += OutputName((*parts)[1].graph, input) + " ";
    for (NodeId control : node.control_inputs) text += "^" + (*parts)[1].graph.node(control).name + " ";
    text += ")\n";
  }
  EXPECT_EQ(text, R"(_loop_1/Const_1 = Const()
_loop_1/Enter_1 = Enter(_loop_1/Const_1 )
_loop_1/Merge_1 = Merge(_loop_1/Enter_1 _loop_1/NextIteration_1 )
step/_Recv_0 = _Recv()
loopstep = Enter(step/_Recv_0 )
loopbranch/_Recv_1 = _Recv(^_loop_1/Merge_1 )
loopadd = AddV2(loopbranch/_Recv_1 loopstep )
loopadd/_Send_2 = _Send(loopadd )
_loop_1/Identity = Identity(loopbranch/_Recv_1 )
_loop_1/NextIteration_1 = NextIteration(_loop_1/Merge_1 ^_loop_1/Identity )
)");
  // A loop-invariant value is sent once, before the loop, and as plain bytes.
  const Graph& adds = (*parts)[1].graph;
  EXPECT_TRUE(*adds.node(adds.Find("step/_Recv_0")).attrs.Get<bool>("static_shape"));
  EXPECT_FALSE(*adds.node(adds.Find("loopbranch/_Recv_1")).attrs.Get<bool>("static_shape"));
}

}  // namespace
}  // namespace dfrun
