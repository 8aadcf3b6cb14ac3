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
  EXPECT_THAT(
      OpsWith([](const OpTraits& t) { return t.only_reads_variables; }),
      UnorderedElementsAre("IsVariableInitialized", "ReadVariableOp", "RefSelect", "ResourceGather", "ResourceGatherNd",
                           "VarIsInitializedOp", "VariableShape", "_SnapshotVariable", "_VariableState"));
}

TEST(OpTraitsTest, OpsThatChooseBetweenTwoValues) {
  EXPECT_THAT(OpsWith([](const OpTraits& t) { return t.chooses; }), UnorderedElementsAre("Select", "SelectV2"));
}

// Each of these is an error in TensorFlow for some values of its inputs.
TEST(OpTraitsTest, WhatRefusesValuesIsNotTotal) {
  for (const char* name : {"Abort",           "Assert",          "CheckNumerics",
                           "CheckNumericsV2", "Cholesky",        "DecodeRaw",
                           "EnsureShape",     "Gather",          "GatherNd",
                           "GatherV2",        "InTopK",          "LogMatrixDeterminant",
                           "MatrixInverse",   "MatrixSolve",     "MatrixTriangularSolve",
                           "Multinomial",     "OneHot",          "RandomUniformInt",
                           "Range",           "ReverseSequence", "ScatterNd",
                           "SegmentSum",      "SparseToDense",   "SparseSoftmaxCrossEntropyWithLogits",
                           "StringToNumber",  "TopKV2",          "UnsortedSegmentSum",
                           "AssignAdd",       "ReadVariableOp",  "InvertPermutation"}) {
    EXPECT_EQ(TraitsOf(name).totality, Totality::kPartial) << name;
  }
  for (const char* name :
       {"Div", "FloorDiv", "FloorMod", "Inv", "Mod", "Pow", "RealDiv", "Reciprocal", "TruncateDiv", "TruncateMod"}) {
    EXPECT_EQ(TraitsOf(name).totality, Totality::kTotalButForIntegers) << name;
  }
}

TEST(OpTraitsTest, TotalOpsWaitForNobody) {
  EXPECT_GE(OpsWith([](const OpTraits& t) { return t.totality == Totality::kTotal; }).size(), 100U);
  for (const std::string& name : OpsWith([](const OpTraits& t) { return t.totality != Totality::kPartial; })) {
    EXPECT_EQ(TraitsOf(name).wait, WaitKind::kNone) << name;
    EXPECT_EQ(TraitsOf(name).control_flow, ControlFlowKind::kNone) << name;
    EXPECT_FALSE(TraitsOf(name).is_variable) << name;
  }
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
