// _MatMulByPanels of what _MatMulPanels gives has the bits of MatMul and of _FusedMatMul.
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
            runner.Run("_MatMulPanels", {{"T", DTypeOf<T>}, {"transpose_b", transposed}}, {b}));
  std::vector<testing::Input> inputs = {a, panels[0]};
  inputs.insert(inputs.end(), args.begin(), args.end());
  const AttrMap attrs{
      {"T", DTypeOf<T>}, {"columns", columns}, {"num_args", static_cast<int64_t>(args.size())}, {"fused_ops", ops}};
  DF_ASSIGN(const std::vector<Tensor> product, runner.Run("_MatMulByPanels", attrs, inputs));
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

// Rows of a matrix are added, as they are or every third of the places that say which.
template <class T>
void AddsRows(int64_t m, int64_t k, int64_t n, int64_t first, int64_t step) {
  NodeRunner runner;
  const Tensor a = testing::RandomNormal<T>(Shape({m, k}), 1);
  const Tensor b = testing::RandomNormal<T>(Shape({k, n}), 2);
  const Tensor rows = testing::RandomNormal<T>(Shape({7, n}), 3);
  Tensor places(DType::kInt32, Shape({first + m * step}));
  for (int64_t i = 0; i < places.num_elements(); ++i) places.data<int32_t>()[i] = static_cast<int32_t>(i * 5 % 7);
  Tensor expected(DTypeOf<T>, Shape({m, n}));
  Result<std::vector<Tensor>> product = runner.Run("MatMul", {{"T", DTypeOf<T>}}, {a, b});
  ASSERT_TRUE(product.ok()) << product.status().ToString();
  for (int64_t i = 0; i < m * n; ++i) {
    const int64_t place = places.data<int32_t>()[first + i / n * step];
    expected.data<T>()[i] = rows.data<T>()[place * n + i % n] + (*product)[0].template data<T>()[i];
  }
  Result<std::vector<Tensor>> panels = runner.Run("_MatMulPanels", {{"T", DTypeOf<T>}}, {b});
  ASSERT_TRUE(panels.ok());
  product = runner.Run("_MatMulByPanels",
                       {{"T", DTypeOf<T>},
                        {"columns", n},
                        {"num_args", int64_t{1}},
                        {"num_places", int64_t{1}},
                        {"first_place", first},
                        {"place_step", step}},
                       {a, (*panels)[0], rows, places});
  ASSERT_TRUE(product.ok()) << product.status().ToString();
  EXPECT_TRUE((*product)[0].Identical(expected)) << m << " x " << k << " x " << n;
}

TEST(MatMulByPanels, AddsRows) {
  AddsRows<float>(32, 256, 1024, 0, 1);
  AddsRows<float>(33, 300, 131, 2, 3);
  AddsRows<float>(1, 1, 1, 0, 1);
  AddsRows<float>(0, 5, 9, 0, 1);
  AddsRows<double>(40, 257, 515, 1, 2);
}

TEST(MatMulByPanels, RefusesRowsThatAreNotThere) {
  NodeRunner runner;
  const Tensor a = testing::RandomNormal<float>(Shape({4, 6}), 1);
  const Tensor panels = (*runner.Run("_MatMulPanels", {}, {testing::RandomNormal<float>(Shape({6, 40}), 2)}))[0];
  const auto code = [&](const Shape& rows, const std::vector<int32_t>& at, int64_t first, int64_t step,
                        const std::vector<std::string>& ops = {}) {
    Tensor places(DType::kInt32, Shape({static_cast<int64_t>(at.size())}));
    std::copy(at.begin(), at.end(), places.data<int32_t>());
    const AttrMap attrs{{"columns", int64_t{40}}, {"num_args", int64_t{1}}, {"num_places", int64_t{1}},
                        {"first_place", first},   {"place_step", step},     {"fused_ops", ops}};
    return runner
        .Run(NodeRunner::Way::kUnknownShapes, "_MatMulByPanels", attrs,
             {a, panels, testing::RandomNormal<float>(rows, 3), places})
        .status()
        .code();
  };
  EXPECT_EQ(code({3, 40}, {0, 2, 1, 1}, 0, 1), Code::kOk);
  EXPECT_EQ(code({3, 40}, {0, 2, 1, 3}, 0, 1), Code::kInvalidArgument);
  EXPECT_EQ(code({3, 40}, {0, -1, 1, 1}, 0, 1), Code::kInvalidArgument);
  EXPECT_EQ(code({3, 41}, {0, 2, 1, 1}, 0, 1), Code::kInvalidArgument);
  EXPECT_EQ(code({120}, {0, 2, 1, 1}, 0, 1), Code::kInvalidArgument);
  EXPECT_EQ(code({3, 40}, {0, 2, 1, 1}, 1, 1), Code::kInvalidArgument);
  EXPECT_EQ(code({3, 40}, {0, 2, 1, 1}, 0, 2), Code::kInvalidArgument);
  EXPECT_EQ(code({3, 40}, {}, 0, 1), Code::kInvalidArgument);
  EXPECT_EQ(code({3, 40}, {0, 2, 1, 1}, INT64_MAX, INT64_MAX), Code::kInvalidArgument);
  EXPECT_EQ(code({3, 40}, {0, 2, 1, 1}, 0, 1, {"BiasAdd"}), Code::kInvalidArgument);
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
