#include "src/passes/export/portable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "tests/unit/testing/graph_evaluator.h"
#include "tests/unit/testing/graph_maker.h"
#include "tests/unit/testing/node_runner.h"

namespace dfrun {
namespace {

using testing::GraphMaker;
using ::testing::HasSubstr;

class PortableTest : public ::testing::Test {
 protected:
  Output AddReader() {
    return maker_.Add("data/read", "HDF5Reader", {maker_.Scalar<int64_t>("position", 0)},
                      {{"component_types", std::vector<DType>{DType::kFloat, DType::kInt64}},
                       {"path", "data.h5"},
                       {"datasets", std::vector<std::string>{"/x", "/y"}},
                       {"shapes", std::vector<PartialShape>{PartialShape({4, 2}), PartialShape({4})}}});
  }

  GraphMaker maker_;
};

TEST_F(PortableTest, OpsOfTensorFlowPass) {
  maker_.Add("y", "Neg", {maker_.Scalar("x", 1.0)});
  EXPECT_TRUE(CheckPortable(maker_.graph).ok());
  const Result<Graph> same = MakePortable(maker_.graph);
  ASSERT_TRUE(same.ok()) << same.status().ToString();
  EXPECT_EQ(same->num_nodes(), maker_.graph.num_nodes());
}

TEST_F(PortableTest, EveryNodeOfAnOwnOpIsNamed) {
  AddReader();
  const Status status = CheckPortable(maker_.graph);
  EXPECT_EQ(status.code(), Code::kUnimplemented);
  EXPECT_THAT(status.message(), HasSubstr("node 'data/read': HDF5Reader"));
}

TEST_F(PortableTest, OpsThatSayTheyAreOwnAre) {
  const auto says = [](const OpDef& op, std::string_view text) { return op.doc.find(text) != std::string::npos; };
  for (const OpDef* op : OpRegistry::Builtin().List()) {
    const bool is_tensorflows =
        op->name == "_FusedConv2D" || op->name == "_FusedMatMul" || op->name == "_FusedBatchNormEx";
    const bool is_made_by_passes = says(*op, "made when a graph is optimised") && !is_tensorflows;
    EXPECT_TRUE(op->traits.is_own() || !(says(*op, "(dfrun's own)") || is_made_by_passes)) << op->name;
  }
}

// Gelu, LayerNorm, attention, recurrences and cofactors against what their kernels compute.
TEST_F(PortableTest, LoweredOpsComputeTheSame) {
  const Output x =
      maker_.Const("x", testing::Make<double>({2, 3, 2}, {-3, -1.5, -0.25, 0, 0.5, 1, 2, 4, -6, 8, 0.125, 3}));
  const Output scale = maker_.Const("scale", testing::Make<double>({3, 2}, {1, -2, 0.5, 3, 1, 0.25}));
  const Output row_scale = maker_.Const("row_scale", testing::Make<double>({2}, {2, -1}));
  maker_.Add("exact", "Gelu", {x}, {{"approximate", false}});
  maker_.Add("approximate", "Gelu", {x}, {{"approximate", true}});
  maker_.Add("last", "LayerNorm", {x, row_scale, row_scale}, {{"axis", -1}, {"epsilon", 0.01}});
  maker_.Add("from_1", "LayerNorm", {x, scale, scale}, {{"axis", 1}});
  const Output heads =
      maker_.Add("heads", "Reshape", {x, maker_.Const("sizes", Tensor::Vector<int32_t>({1, 2, 3, 2}))});
  maker_.Add("whole", "ScaledDotProductAttention", {heads, heads, heads}, {{"U", DType::kDouble}});
  maker_.Add("causal", "ScaledDotProductAttention", {heads, heads, heads},
             {{"U", DType::kDouble}, {"causal", true}, {"scale", 0.5}});
  std::vector<std::string> names = {"exact", "approximate", "last", "from_1", "whole", "causal", "cofactors"};
  maker_.Add("cofactors", "MatrixCofactors", {maker_.Const("a", testing::Make<double>({2, 2}, {1, 2, -3, 4}))});
  for (int axis : {1, -1}) {
    for (bool exclusive : {false, true}) {
      for (bool reverse : {false, true}) {
        names.push_back(StrCat("recurrence", axis, exclusive, reverse));
        maker_.Add(names.back(), "LinearRecurrence", {x, x, maker_.Scalar<int32_t>(names.back() + "/axis", axis)},
                   {{"exclusive", exclusive}, {"reverse", reverse}});
      }
    }
  }
  const Result<Graph> lowered = MakePortable(maker_.graph);
  ASSERT_TRUE(lowered.ok()) << lowered.status().ToString();
  EXPECT_TRUE(CheckPortable(*lowered).ok());
  for (const std::string& name : names) {
    const auto fetch = [&](const Graph& graph) {
      testing::GraphEvaluator evaluator;
      const Result<std::vector<Tensor>> values = evaluator.Fetch(graph, {{graph.Find(name), 0}});
      EXPECT_TRUE(values.ok()) << values.status().ToString();
      return values.ok() ? (*values)[0] : Tensor();
    };
    const Tensor want = fetch(maker_.graph);
    const Tensor got = fetch(*lowered);
    ASSERT_EQ(got.shape(), want.shape());
    const auto values = want.values<double>();
    for (size_t i = 0; i < values.size(); ++i) EXPECT_NEAR(got.values<double>()[i], values[i], 1e-12) << name << i;
  }
}

TEST_F(PortableTest, ReadersBecomePlaceholders) {
  const Output read = AddReader();
  maker_.Add("label", "Identity", {{read.node, 1}});  // names it
  maker_.Add("later", "Neg", {{read.node, 0}});
  const Result<Graph> graph = MakePortable(maker_.graph);
  ASSERT_TRUE(graph.ok()) << graph.status().ToString();
  EXPECT_TRUE(CheckPortable(*graph).ok());
  for (const auto& [name, dtype, shape] : {std::tuple("label", DType::kInt64, PartialShape({4})),
                                           std::tuple("data/read/component_0", DType::kFloat, PartialShape({4, 2}))}) {
    const NodeId id = graph->Find(name);
    ASSERT_GE(id, 0) << name;
    EXPECT_EQ(graph->node(id).op->name, "Placeholder");
    EXPECT_EQ(graph->dtype({id, 0}), dtype);
    EXPECT_EQ(graph->shape({id, 0}), shape);
  }
  EXPECT_EQ(graph->num_nodes(), 4);  // and what the reader read, and who reads the other
}

}  // namespace
}  // namespace dfrun
