#include "src/costs/predict.h"

#include <gtest/gtest.h>

#include "src/costs/node_key.h"
#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

class PredictTest : public ::testing::Test {
 protected:
  PredictTest() {
    table_.threads = 2;
    table_.SetNode("cpu", OpFamily::kProduct, {1e-6, 1e9, 1e8});
    table_.SetNode("cpu", OpFamily::kElementwise, {2e-6, 1e6, 1e3});
    table_.SetNode("cpu", OpFamily::kOther, {3e-6, 1, 1});
  }
  double Seconds(Output value) { return NodeTime(maker_.graph, maker_.graph.node(value.node), "cpu", table_).seconds; }

  testing::GraphMaker maker_;
  CostTable table_;
};

TEST_F(PredictTest, TheLongerOfOperationsAndBytes) {
  const Output a = maker_.Placeholder("a", {100, 200}, DType::kFloat);
  const Output b = maker_.Placeholder("b", {200, 300}, DType::kFloat);
  // 2 * 100 * 200 * 300 operations of 1 ns; its bytes take 4 * (20000 + 60000 + 30000) * 10 ns, less.
  EXPECT_DOUBLE_EQ(Seconds(maker_.Add("product", "MatMul", {a, b})), 1e-6 + 12e-3);
  // 20000 operations of 1 us; 2 * 80000 bytes of 1 ms, more.
  EXPECT_DOUBLE_EQ(Seconds(maker_.Add("relu", "Relu", {a})), 2e-6 + 160);
  const Output unknown = maker_.Placeholder("c", {-1}, DType::kFloat);
  EXPECT_DOUBLE_EQ(Seconds(maker_.Add("of_unknown", "Relu", {unknown})), 3e-6);
  EXPECT_EQ(Seconds(maker_.Const("constant", Tensor::Scalar(1.0F))), 0);
}

TEST_F(PredictTest, AMeasurementCountsBeforeTheFit) {
  const Output a = maker_.Placeholder("a", {100}, DType::kFloat);
  const Output relu = maker_.Add("relu", "Relu", {a});
  const Output other = maker_.Add("other", "Relu", {maker_.Placeholder("b", {101}, DType::kFloat)});
  const Node& node = maker_.graph.node(relu.node);
  EXPECT_FALSE(NodeTime(maker_.graph, node, "cpu", table_).is_measured);
  table_.SetMeasured(NodeKey(maker_.graph, node, "cpu", 2), {"Relu", 0.5, 3});
  EXPECT_TRUE(NodeTime(maker_.graph, node, "cpu", table_).is_measured);
  EXPECT_EQ(Seconds(relu), 0.5);
  EXPECT_DOUBLE_EQ(FittedTime(maker_.graph, node, "cpu", table_), 2e-6 + 0.8);
  EXPECT_FALSE(NodeTime(maker_.graph, node, "gpu", table_).is_measured);
  EXPECT_DOUBLE_EQ(Seconds(other), 2e-6 + 0.808);
  const std::string text = DumpTimes(maker_.graph, table_);
  EXPECT_NE(text.find("relu: Relu flops=100 read=400 written=400 us=500000.000 measured\n"), std::string::npos) << text;
  EXPECT_NE(text.find("us=808002.000 elementwise\n"), std::string::npos) << text;
  EXPECT_NE(text.find("# predicted: us="), std::string::npos) << text;
  EXPECT_NE(text.find("measured: 1 of 4 nodes\n"), std::string::npos) << text;
}

}  // namespace
}  // namespace dfrun
