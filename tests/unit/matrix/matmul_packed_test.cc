// _MatMulPacked of what _PackWeights gives has the bits of MatMul and of _FusedMatMul.
#include <gtest/gtest.h>

#include "tests/unit/testing/node_runner.h"
#include "tests/unit/testing/random_tensor.h"

namespace dfrun {
namespace {

using testing::NodeRunner;

template <class T>
Result<Tensor> ByPanels(NodeRunner& runner, const Tensor& a, const Tensor& b, bool transposed, int64_t columns,
                        const std::vector<std::string>& ops = {}, const std::vector<Tensor>& args = {}) {
  DF_ASSIGN(const std::vector<Tensor> panels,
            runner.Run("_PackWeights", {{"T", DTypeOf<T>}, {"transpose_b", transposed}}, {b}));
  std::vector<testing::Input> inputs = {a, panels[0]};
  inputs.insert(inputs.end(), args.begin(), args.end());
  const AttrMap attrs{
      {"T", DTypeOf<T>}, {"columns", columns}, {"num_args", static_cast<int64_t>(args.size())}, {"fused_ops", ops}};
  DF_ASSIGN(const std::vector<Tensor> product, runner.Run("_MatMulPacked", attrs, inputs));
  return product[0];
}

template <class T>
void GivesTheBitsOfMatMul(int64_t m, int64_t k, int64_t n) {
  NodeRunner runner;
  const Tensor a = testing::RandomNormal<T>(Shape({m, k}), 1);
  const Tensor bias = testing::RandomNormal<T>(Shape({n}), 3);
  for (bool transposed : {false, true}) {
    const Tensor b = testing::RandomNormal<T>(transposed ? Shape({n, k}) : Shape({k, n}), 2);
    const std::string what = StrCat(m, " x ", k, " x ", n, ", transposed ", transposed);
    AttrMap attrs{{"T", DTypeOf<T>}, {"transpose_b", transposed}};
    Result<std::vector<Tensor>> expected = runner.Run("MatMul", attrs, {a, b});
    Result<Tensor> product = ByPanels<T>(runner, a, b, transposed, n);
    ASSERT_TRUE(expected.ok() && product.ok()) << product.status().ToString();
    EXPECT_TRUE(product->Identical((*expected)[0])) << what;

    const std::vector<std::string> ops = {"BiasAdd", "Relu"};
    attrs.Set("num_args", int64_t{1});
    attrs.Set("fused_ops", ops);
    expected = runner.Run("_FusedMatMul", attrs, {a, b, bias});
    product = ByPanels<T>(runner, a, b, transposed, n, ops, {bias});
    ASSERT_TRUE(expected.ok() && product.ok()) << product.status().ToString();
    EXPECT_TRUE(product->Identical((*expected)[0])) << what << ", with bias and Relu";
  }
}

// One column, part of a vector, whole panels, parts of one; depths of several passes and none; many rows; more than a
// thread's part.
TEST(MatMulByPanels, GivesTheBitsOfMatMul) {
  GivesTheBitsOfMatMul<float>(1, 1, 1);
  GivesTheBitsOfMatMul<float>(32, 5, 7);
  GivesTheBitsOfMatMul<float>(11, 300, 48);
  GivesTheBitsOfMatMul<float>(32, 512, 1000);
  GivesTheBitsOfMatMul<float>(33, 2100, 131);
  GivesTheBitsOfMatMul<float>(200, 64, 97);
  GivesTheBitsOfMatMul<float>(4, 0, 30);
  GivesTheBitsOfMatMul<float>(0, 3, 30);
  GivesTheBitsOfMatMul<double>(32, 257, 515);
}

TEST(MatMulByPanels, RefusesWhatDoesNotFit) {
  NodeRunner runner;
  const Tensor a = testing::RandomNormal<float>(Shape({4, 6}), 1);
  const Tensor b = testing::RandomNormal<float>(Shape({6, 40}), 2);
  const auto code = [&](const Tensor& left, const Tensor& right, int64_t columns,
                        const std::vector<std::string>& ops = {}, const std::vector<Tensor>& args = {}) {
    return ByPanels<float>(runner, left, right, false, columns, ops, args).status().code();
  };
  EXPECT_EQ(code(a, b, 40), Code::kOk);
  EXPECT_EQ(code(a, b.Reshaped(Shape({40, 6})), 6), Code::kInvalidArgument);  // 40 rows, not 6
  EXPECT_EQ(code(a, b, 400), Code::kInvalidArgument);
  EXPECT_EQ(code(a, b, int64_t{1} << 62), Code::kInvalidArgument);
  EXPECT_EQ(code(a.Reshaped(Shape({24})), b, 40), Code::kInvalidArgument);
  EXPECT_EQ(code(a, b.Reshaped(Shape({240})), 40), Code::kInvalidArgument);
  EXPECT_EQ(code(a, b, 40, {"BiasAdd"}), Code::kInvalidArgument);
  EXPECT_EQ(code(a, b, 40, {}, {testing::RandomNormal<float>(Shape({40}), 3)}), Code::kInvalidArgument);
  EXPECT_EQ(code(a, b, 40, {"BiasAdd"}, {testing::RandomNormal<float>(Shape({39}), 3)}), Code::kInvalidArgument);
}

}  // namespace
}  // namespace dfrun
