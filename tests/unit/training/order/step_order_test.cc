#include "src/training/order/step_order.h"

#include <gtest/gtest.h>

#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using testing::GraphMaker;
using Names = std::vector<std::string>;

class StepOrderTest : public ::testing::Test {
 protected:
  StepOrderTest()
      : v_(m_.Add("v", "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({2})}})),
        x_(m_.Const("x", Tensor::Vector<float>({1, 2}))) {}

  Output Add(const std::string& name, const std::string& op, std::vector<Output> inputs,
             std::vector<NodeId> control = {}) {
    NodeSpec spec;
    spec.name = name;
    spec.op = op;
    spec.inputs = std::move(inputs);
    spec.control_inputs = std::move(control);
    const Output made = m_.Add(std::move(spec));
    signature_.targets.push_back(made.node);
    return made;
  }
  void Order(const StepOrderOptions& options = {}) {
    const Status ordered = OrderStep(options, m_.graph, signature_);
    ASSERT_TRUE(ordered.ok()) << ordered.ToString();
    ASSERT_TRUE(m_.graph.TopologicalOrder().ok());
  }

  GraphMaker m_;
  RunSignature signature_;
  Output v_;
  Output x_;
};

TEST_F(StepOrderTest, AReadComesBeforeTheUpdatesThatItDoesNotWaitFor) {
  const Output first = Add("first", "AssignAdd", {v_, x_});
  const Output second = Add("second", "AssignAdd", {v_, x_}, {first.node});
  Add("free", "Neg", {v_});
  Add("between", "Neg", {v_}, {first.node});
  Add("after", "Neg", {v_}, {second.node});
  Order();
  EXPECT_EQ(m_.ControlsOf("first"), Names{"free"});
  EXPECT_EQ(m_.ControlsOf("second"), (Names{"between", "first"}));
  EXPECT_EQ(m_.ControlsOf("after"), Names{"second"});
}

TEST_F(StepOrderTest, UpdatesRunInTheOrderOfTheGraph) {
  Add("first", "AssignAdd", {v_, x_});
  Add("second", "AssignSub", {v_, x_});
  Add("third", "Assign", {v_, x_});
  Order();
  EXPECT_TRUE(m_.ControlsOf("first").empty());
  EXPECT_EQ(m_.ControlsOf("second"), Names{"first"});
  EXPECT_EQ(m_.ControlsOf("third"), (Names{"first", "second"}));
}

TEST_F(StepOrderTest, VariablesBehindHandlesAreOrderedToo) {
  const AttrMap attrs = {{"dtype", DType::kFloat}, {"shape", PartialShape({2})}};
  const Output handle = m_.Add("handle", "VarHandleOp", {}, attrs);
  const Output update = m_.Add("update", "AssignAddVariableOp", {handle, x_}, {{"dtype", DType::kFloat}});
  const Output read = m_.Add("read", "ReadVariableOp", {handle}, {{"dtype", DType::kFloat}});
  signature_.targets = {update.node, read.node};
  Order();
  EXPECT_EQ(m_.ControlsOf("update"), Names{"read"});
}

// A variable that gets the value of another is another, and so are those that read it.
TEST_F(StepOrderTest, AVariableDoesNotBecomeTheOneThatItsValueGoesTo) {
  const AttrMap attrs = {{"dtype", DType::kFloat}, {"shape", PartialShape({2})}};
  for (const std::string copy : {"a", "b"}) {
    const Output begun = Add(copy + "/begin", "Assign", {m_.Add(copy, "VariableV2", {}, attrs), v_});
    Add(copy + "/read", "Neg", {begun});
    Add(copy + "/update", "AssignAdd", {begun, x_});
  }
  Add("update", "AssignAdd", {v_, x_});
  Order();
  EXPECT_TRUE(m_.ControlsOf("b/begin").empty());
  EXPECT_EQ(m_.ControlsOf("b/update"), Names{"b/read"});
  EXPECT_EQ(m_.ControlsOf("update"), (Names{"a/begin", "b/begin"}));
}

// Two variables ask for orders that exclude each other: the first has its own, and the second goes the other way by an
// edge, whatever becomes of the first's where the reader is elsewhere.
TEST_F(StepOrderTest, AnOrderThatAnotherVariableTurnsRoundIsKeptByAnEdge) {
  const AttrMap attrs = {{"dtype", DType::kFloat}, {"shape", PartialShape({2})}};
  const Output w = m_.Add("w", "VariableV2", {}, attrs);
  const Output new_w = Add("new_w", "Assign", {w, x_});
  Add("reader", "Add", {v_, new_w});
  Add("new_v", "AssignAdd", {v_, w});
  Order();
  EXPECT_EQ(m_.ControlsOf("new_v"), (Names{"new_w", "reader"}));
  EXPECT_TRUE(m_.ControlsOf("new_w").empty());
}

// Nodes that the step does not run are left as they are.
TEST_F(StepOrderTest, OnlyTheStepCounts) {
  m_.Add("elsewhere", "Neg", {v_});
  Add("update", "AssignAdd", {v_, x_});
  Order();
  EXPECT_TRUE(m_.ControlsOf("update").empty());
}

// An element of a queue may have been enqueued after the update.
TEST_F(StepOrderTest, AReaderThatWaitsAtAQueueIsLeftOpen) {
  const Output queue = m_.Add("queue", "FIFOQueueV2", {}, {{"component_types", std::vector<DType>{DType::kFloat}}});
  const Output element =
      m_.Add("element", "QueueDequeueV2", {queue}, {{"component_types", std::vector<DType>{DType::kFloat}}});
  Add("read", "Mul", {v_, element});
  Add("update", "AssignAdd", {v_, x_});
  Order();
  EXPECT_TRUE(m_.ControlsOf("update").empty());
}

TEST_F(StepOrderTest, AFetchedVariableIsReadLastInARunAndFirstInATraining) {
  const Output update = Add("update", "AssignAdd", {v_, x_});
  signature_.fetches = {v_, update};
  Order({.last = {}, .fetches_come_last = true});
  EXPECT_EQ(m_.graph.node(signature_.fetches[0].node).name, "v/fetched");
  EXPECT_EQ(m_.ControlsOf("v/fetched"), Names{"update"});
  EXPECT_EQ(signature_.fetches[1], update);  // no reader comes after it
  signature_.fetches = {v_};
  Order();
  EXPECT_EQ(m_.ControlsOf("v/fetched_1"), Names{});
  EXPECT_EQ(m_.ControlsOf("update"), Names{"v/fetched_1"});
}

// The result of a conditional is always there; a value in one side is not, and keeps nodes outside from nothing.
TEST_F(StepOrderTest, ReadersThatAlwaysRunAreOrdered) {
  const Output pred = m_.Placeholder("pred", PartialShape::Scalar(), DType::kBool);
  const Output sides = Add("sides", "Switch", {x_, pred});
  const Output on = Add("on", "Neg", {{sides.node, 1}});
  const Output off = Add("off", "Identity", {{sides.node, 0}});
  NodeSpec merge;
  merge.name = "merge";
  merge.op = "Merge";
  merge.inputs = {off, on};
  merge.attrs = {{"N", int64_t{2}}};
  Add("outside", "Mul", {v_, m_.Add(std::move(merge))});
  Add("inside", "Mul", {v_, on});
  Add("update", "AssignAdd", {v_, x_});
  Add("update_inside", "AssignAdd", {v_, on});
  Order();
  EXPECT_EQ(m_.ControlsOf("update"), Names{"outside"});
  EXPECT_EQ(m_.ControlsOf("update_inside"), (Names{"inside", "outside", "update"}));
}

// A side that is not taken does not keep others from running.
TEST_F(StepOrderTest, AFetchComesAfterUpdatesThatMayNotRun) {
  const Output pred = m_.Placeholder("pred", PartialShape::Scalar(), DType::kBool);
  const Output sides = Add("sides", "RefSwitch", {v_, pred});
  Add("update", "AssignAdd", {{sides.node, 1}, x_});
  signature_.fetches = {v_};
  Order({.last = {}, .fetches_come_last = true});
  const Node& read = m_.graph.node(signature_.fetches[0].node);
  ASSERT_EQ(read.control_inputs.size(), 1U);
  const Node& trigger = m_.graph.node(read.control_inputs[0]);
  EXPECT_EQ(trigger.op->name, "ControlTrigger");
  EXPECT_EQ(m_.ControlsOf(trigger.name), Names{"update"});
}

}  // namespace
}  // namespace dfrun
