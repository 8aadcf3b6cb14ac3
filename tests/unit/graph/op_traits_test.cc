// The facts that ops state of themselves, against what is known of them otherwise.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "src/framework/op/op.h"

namespace dfrun {
namespace {

using ::testing::UnorderedElementsAre;

const OpTraits& TraitsOf(std::string_view op) {
  return OpRegistry::Builtin().Find(op)->traits;
}

template <class Has>
std::set<std::string> OpsWith(Has has) {
  std::set<std::string> names;
  for (const OpDef* op : OpRegistry::Builtin().List()) {
    if (has(op->traits)) names.insert(op->name);
  }
  return names;
}

TEST(OpTraitsTest, WhatPassesOnGivesOutputsLikeInputs) {
  for (const OpDef* op : OpRegistry::Builtin().List()) {
    if (op->traits.passthrough == Passthrough::kNone) continue;
    EXPECT_EQ(op->inputs[0].is_ref, op->outputs[0].is_ref) << op->name;
    EXPECT_EQ(op->inputs[0].dtype, op->outputs[0].dtype) << op->name;
    EXPECT_EQ(op->inputs[0].type_attr, op->outputs[0].type_attr) << op->name;
  }
  EXPECT_EQ(TraitsOf("IdentityN").passthrough, Passthrough::kEachInput);
}

TEST(OpTraitsTest, RefFormsOfControlFlowCountAsTheOthers) {
  for (const char* name : {"Switch", "Merge", "Enter", "Exit", "NextIteration"}) {
    EXPECT_NE(TraitsOf(name).control_flow, ControlFlowKind::kNone) << name;
    EXPECT_EQ(TraitsOf(name).control_flow, TraitsOf(std::string("Ref") + name).control_flow) << name;
    EXPECT_EQ(TraitsOf(name).passthrough, Passthrough::kFirstInput) << name;
  }
}

TEST(OpTraitsTest, Variables) {
  EXPECT_THAT(OpsWith([](const OpTraits& t) { return t.is_variable; }),
              UnorderedElementsAre("Variable", "VariableV2", "VarHandleOp"));
  EXPECT_THAT(OpsWith([](const OpTraits& t) { return t.only_reads_variables; }),
              UnorderedElementsAre("IsVariableInitialized", "ReadVariableOp", "RefSelect", "ResourceGather",
                                   "ResourceGatherNd", "VarIsInitializedOp", "VariableShape", "_VariableState"));
}

TEST(OpTraitsTest, ElementwiseOpsHaveTheirOperands) {
  const std::set<std::string> ops = OpsWith([](const OpTraits& t) { return static_cast<bool>(t.elementwise); });
  EXPECT_GE(ops.size(), 25U);
  for (const std::string& name : ops) {
    const OpDef& op = *OpRegistry::Builtin().Find(name);
    const bool is_variadic = !op.inputs[0].number_attr.empty();
    EXPECT_EQ(op.traits.elementwise.operands, is_variadic ? 0 : static_cast<int>(op.inputs.size())) << name;
    EXPECT_EQ(op.outputs.size(), 1U) << name;
  }
}

}  // namespace
}  // namespace dfrun
