#include "src/graph/order/variable_reads.h"

#include <gtest/gtest.h>

#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

using testing::GraphMaker;

class VariableReadsTest : public ::testing::Test {
 protected:
  VariableReadsTest() : v_(m_.Add("v", "VariableV2", {}, {{"dtype", DType::kFloat}, {"shape", PartialShape({2})}})) {}

  Output Read(const std::string& name, Output from, std::vector<NodeId> control = {}) {
    NodeSpec spec;
    spec.name = name;
    spec.op = "Identity";
    spec.inputs = {from};
    spec.control_inputs = std::move(control);
    return m_.Add(spec);
  }
  const Node& node(Output value) const { return m_.graph.node(value.node); }

  GraphMaker m_;
  const Output v_;
};

TEST_F(VariableReadsTest, ReadersOfIdentitiesReadTheVariable) {
  const Output first = Read("first", v_);
  const Output second = Read("second", first);
  const Output sum = m_.Add("sum", "AddV2", {first, second});
  ASSERT_TRUE(ReadVariablesAtUse(m_.graph, {}).ok());
  EXPECT_EQ(node(second).inputs[0], v_);
  EXPECT_EQ(node(sum).inputs, (std::vector<Output>{v_, v_}));
  EXPECT_TRUE(node(sum).control_inputs.empty());
}

TEST_F(VariableReadsTest, WhatTheReadWaitedForIsStillAwaited) {
  const Output before = m_.Add("before", "NoOp");
  const Output read = Read("read", v_, {before.node});
  const Output y = m_.Add("y", "Neg", {read});
  ASSERT_TRUE(ReadVariablesAtUse(m_.graph, {}).ok());
  EXPECT_EQ(node(y).inputs[0], v_);
  EXPECT_EQ(node(y).control_inputs, std::vector<NodeId>{read.node});
}

TEST_F(VariableReadsTest, FedValuesAndPlainOnesStay) {
  const Output read = Read("read", v_);
  const Output y = m_.Add("y", "Neg", {read});
  const Output copy = Read("copy", y);
  const Output z = m_.Add("z", "Neg", {copy});
  ASSERT_TRUE(ReadVariablesAtUse(m_.graph, {read}).ok());
  EXPECT_EQ(node(y).inputs[0], read);
  EXPECT_EQ(node(z).inputs[0], copy);
}

TEST_F(VariableReadsTest, ReadersOnAnotherDeviceReadTheVariableToo) {
  const Output elsewhere = m_.Add("elsewhere", "Neg", {Read("read", v_)});
  m_.node(elsewhere).device = "/job:worker";
  ASSERT_TRUE(ReadVariablesAtUse(m_.graph, {}).ok());
  EXPECT_EQ(node(elsewhere).inputs[0], v_);
}

}  // namespace
}  // namespace dfrun
