// The facts that ops state of themselves, against what is known of them otherwise.
#include <gtest/gtest.h>

#include <set>

#include "src/passes/portable.h"
#include "tests/unit/testing/graph_evaluator.h"
#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/node_runner.h"

namespace dfrun {
namespace {

using testing::GraphMaker;

const OpTraits& TraitsOf(std::string_view op) {
  return OpRegistry::Builtin().Find(op)->traits;
}

using Names = std::set<std::string>;

template <class Has>
Names OpsWith(Has has) {
  Names names;
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
  EXPECT_EQ(OpsWith([](const OpTraits& t) { return t.is_variable; }), Names({"Variable", "VariableV2", "VarHandleOp"}));
  EXPECT_EQ(OpsWith([](const OpTraits& t) { return t.only_reads_variables; }),
            Names({"ReadVariableOp", "ResourceGather", "ResourceGatherNd", "VarIsInitializedOp", "VariableShape"}));
}

TEST(OpTraitsTest, ElementwiseOpsHaveTheirOperands) {
  const Names ops = OpsWith([](const OpTraits& t) { return static_cast<bool>(t.elementwise); });
  EXPECT_GE(ops.size(), 25U);
  for (const std::string& name : ops) {
    const OpDef& op = *OpRegistry::Builtin().Find(name);
    const bool is_variadic = !op.inputs[0].number_attr.empty();
    EXPECT_EQ(op.traits.elementwise.operands, is_variadic ? 0 : static_cast<int>(op.inputs.size())) << name;
    EXPECT_EQ(op.outputs.size(), 1U) << name;
  }
}

TEST(OpTraitsTest, OwnOpsAreThoseThatTensorFlowLacks) {
  for (const OpDef* op : OpRegistry::Builtin().List()) EXPECT_EQ(op->traits.is_own(), IsOwnOp(op->name)) << op->name;
}

// Adds the nodes of a lowering to a graph.
class Lowering final : public NodeBuilder {
 public:
  Lowering(GraphMaker& maker, NodeId node) : maker_(maker), node_(maker.graph.node(node)) {}

  int num_inputs() const override { return node_.num_inputs(); }
  Output x(int input) const override { return node_.inputs[static_cast<size_t>(input)]; }
  const AttrMap& attrs() const override { return node_.attrs; }
  DType dtype(Output value) const override { return maker_.graph.dtype(value); }
  PartialShape shape(Output value) const override { return maker_.graph.shape(value); }
  using NodeBuilder::AddNode;
  AddedNode AddNode(std::string_view op, std::span<const Output> inputs, const AttrMap& attrs) override {
    const std::string name = maker_.graph.UniqueName("lowered");
    return {maker_.Add(name, std::string(op), {inputs.begin(), inputs.end()}, attrs).node};
  }
  Output Const(Tensor value) override { return maker_.Const(maker_.graph.UniqueName("const"), value); }
  Output ScalarLike(Output like, double value) override {
    EXPECT_EQ(dtype(like), DType::kDouble);
    return Const(Tensor::Scalar<double>(value));
  }
  void Fail(Status status) override { ADD_FAILURE() << status.ToString(); }

 private:
  GraphMaker& maker_;
  const Node node_;
};

TEST(OpTraitsTest, LoweredOpsComputeTheSame) {
  GraphMaker maker;
  const Output x =
      maker.Const("x", testing::Make<double>({2, 3, 2}, {-3, -1.5, -0.25, 0, 0.5, 1, 2, 4, -6, 8, 0.125, 3}));
  const Output scale = maker.Const("scale", testing::Make<double>({3, 2}, {1, -2, 0.5, 3, 1, 0.25}));
  const Output row_scale = maker.Const("row_scale", testing::Make<double>({2}, {2, -1}));
  const std::vector<Output> own = {maker.Add("exact", "Gelu", {x}, {{"approximate", false}}),
                                   maker.Add("approximate", "Gelu", {x}, {{"approximate", true}}),
                                   maker.Add("last", "LayerNorm", {x, row_scale, row_scale}, {{"axis", -1}}),
                                   maker.Add("from_1", "LayerNorm", {x, scale, scale}, {{"axis", 1}})};
  for (Output value : own) {
    Lowering lowering(maker, value.node);
    const LoweredNode last = maker.graph.node(value.node).op->traits.portable.lower(lowering);
    const Output lowered = maker.Add(maker.graph.UniqueName("last"), last.op, last.inputs);
    testing::GraphEvaluator evaluator;
    const Result<std::vector<Tensor>> both = evaluator.Fetch(maker.graph, {value, lowered});
    ASSERT_TRUE(both.ok()) << both.status().ToString();
    for (size_t i = 0; i < 12; ++i) EXPECT_NEAR((*both)[0].values<double>()[i], (*both)[1].values<double>()[i], 1e-12);
  }
}

}  // namespace
}  // namespace dfrun
