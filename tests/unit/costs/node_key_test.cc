#include "src/costs/node_key.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/unit/testing/graph_maker.h"

namespace dfrun {
namespace {

struct Product {
  std::string prefix;
  int64_t rows = 32;
  DType dtype = DType::kFloat;
  AttrMap attrs = {{"transpose_a", false}};
};

std::string KeyOf(const Product& product, const std::string& device = "cpu", int threads = 2) {
  testing::GraphMaker maker;
  const int64_t rows = product.rows;
  const Output a = maker.Placeholder(product.prefix + "a", {rows, rows}, product.dtype);
  const Output b = maker.Placeholder(product.prefix + "b", {rows, 10}, product.dtype);
  const Output made = maker.Add(product.prefix + "product", "MatMul", {a, b}, product.attrs);
  maker.node(made).device = "/job:" + product.prefix + "worker/task:0/device:cpu:0";
  return NodeKey(maker.graph, maker.graph.node(made.node), device, threads);
}

TEST(NodeKeyTest, NamesDoNotMatter) {
  EXPECT_EQ(KeyOf({"first"}), KeyOf({"second"}));
  EXPECT_EQ(KeyOf({"a"}).size(), kNodeKeyDigits);
}

TEST(NodeKeyTest, EachFactOfTheWorkMatters) {
  const std::set<std::string> keys = {
      KeyOf({"a"}),
      KeyOf({"a", 64}),
      KeyOf({"a", 32, DType::kDouble}),
      KeyOf({"a", 32, DType::kFloat, {{"transpose_a", true}}}),
      KeyOf({"a", 32, DType::kFloat, {{"_precision", "tf32"}}}),
      KeyOf({"a"}, "gpu"),
      KeyOf({"a"}, "cpu", 1),
  };
  EXPECT_EQ(keys.size(), 7U);
}

TEST(NodeKeyTest, AttrsThatOrderOrLabelDoNotMatter) {
  EXPECT_EQ(KeyOf({"a"}), KeyOf({"a", 32, DType::kFloat, {{"_after_reads", true}}}));
}

TEST(NodeKeyTest, SeedsDoNotMatter) {
  testing::GraphMaker maker;
  const Output shape = maker.Const("shape", Tensor::Vector<int32_t>({8}));
  const auto key = [&](const std::string& name, int64_t seed, DType dtype) {
    const AttrMap attrs = {{"dtype", dtype}, {"seed", seed}, {"seed2", seed + 1}};
    const Output made = maker.Add(name, "RandomUniform", {shape}, attrs);
    return NodeKey(maker.graph, maker.graph.node(made.node), "cpu", 1);
  };
  const std::string first = key("first", 1, DType::kFloat);
  EXPECT_EQ(first, key("second", 2, DType::kFloat));
  EXPECT_NE(first, key("third", 1, DType::kDouble));
}

// Files keep keys: another text would orphan them.
TEST(NodeKeyTest, TextAndHashAreThoseOfTheHeader) {
  testing::GraphMaker maker;
  const Output x = maker.Placeholder("x", {2, -1}, DType::kFloat);
  const Output made = maker.Add("y", "Relu", {x});
  const Node& node = maker.graph.node(made.node);
  EXPECT_EQ(NodeKeyText(maker.graph, node, "cpu", 2), "Relu float32[2,?] -> float32[2,?] {T=float32} cpu 2");
  EXPECT_EQ(NodeKey(maker.graph, node, "cpu", 2), "d92d735b62a9c52c");
}

}  // namespace
}  // namespace dfrun
