// _FusedMatMul gives the bits of MatMul and the ops that follow it.
#include <gtest/gtest.h>

#include "tests/unit/testing/node_runner.h"
#include "tests/unit/testing/random_tensor.h"

namespace dfrun {
namespace {

using testing::NodeRunner;

template <class T>
void GivesTheBitsOfTheOps(int64_t m, int64_t k, int64_t n, bool ta, bool tb) {
  NodeRunner runner;
  const Tensor a = testing::RandomNormal<T>(ta ? Shape({k, m}) : Shape({m, k}), 1);
  const Tensor b = testing::RandomNormal<T>(tb ? Shape({n, k}) : Shape({k, n}), 2);
  const Tensor bias = testing::RandomNormal<T>(Shape({n}), 3);
  AttrMap attrs{{"T", DTypeOf<T>}, {"transpose_a", ta}, {"transpose_b", tb}};
  Result<std::vector<Tensor>> expected = runner.Run("MatMul", attrs, {a, b});
  ASSERT_TRUE(expected.ok()) << expected.status().ToString();
  attrs.Set("num_args", int64_t{1});
  std::vector<std::string> ops;
  for (const char* op : {"BiasAdd", "Relu"}) {
    ops.emplace_back(op);
    expected = ops.size() == 1 ? runner.Run(op, {{"T", DTypeOf<T>}}, {(*expected)[0], bias})
                               : runner.Run(op, {{"T", DTypeOf<T>}}, {(*expected)[0]});
    ASSERT_TRUE(expected.ok()) << expected.status().ToString();
    attrs.Set("fused_ops", ops);
    const Result<std::vector<Tensor>> fused = runner.Run("_FusedMatMul", attrs, {a, b, bias});
    ASSERT_TRUE(fused.ok()) << fused.status().ToString();
    EXPECT_TRUE((*fused)[0].Identical((*expected)[0]))
        << m << " x " << k << " x " << n << ", transposed " << ta << tb << ", ops " << ops.size();
  }

  const Tensor features = testing::RandomNormal<T>(Shape({m, n}), 4);
  const AttrMap product{{"T", DTypeOf<T>}, {"transpose_a", ta}, {"transpose_b", tb}};
  expected = runner.Run("MatMul", product, {a, b});
  expected = runner.Run("ReluGrad", {{"T", DTypeOf<T>}}, {(*expected)[0], features});
  attrs.Set("fused_ops", std::vector<std::string>{"ReluGrad"});
  const Result<std::vector<Tensor>> fused = runner.Run("_FusedMatMul", attrs, {a, b, features});
  ASSERT_TRUE(fused.ok()) << fused.status().ToString();
  EXPECT_TRUE((*fused)[0].Identical((*expected)[0])) << m << " x " << k << " x " << n << ", transposed " << ta << tb;
}

// The sizes give direct products, one of them by several threads, few rows, several passes over k, blocks of columns, a
// result that is computed transposed, and an empty product.
TEST(FusedMatMul, GivesTheBitsOfTheOps) {
  for (bool ta : {false, true}) {
    for (bool tb : {false, true}) {
      GivesTheBitsOfTheOps<float>(3, 5, 7, ta, tb);
      GivesTheBitsOfTheOps<float>(1024, 128, 10, ta, tb);
      GivesTheBitsOfTheOps<float>(4, 2000, 700, ta, tb);
      GivesTheBitsOfTheOps<float>(128, 300, 1000, ta, tb);
      GivesTheBitsOfTheOps<float>(450, 1100, 520, ta, tb);
      GivesTheBitsOfTheOps<float>(33, 2100, 70, ta, tb);
      GivesTheBitsOfTheOps<float>(4, 0, 30, ta, tb);
      GivesTheBitsOfTheOps<float>(0, 3, 30, ta, tb);
      GivesTheBitsOfTheOps<double>(150, 150, 150, ta, tb);
    }
  }
}

TEST(FusedMatMul, RefusesWhatItCannotFuse) {
  NodeRunner runner;
  const Tensor a = testing::RandomNormal<float>(Shape({2, 3}), 1);
  const Tensor b = testing::RandomNormal<float>(Shape({3, 4}), 2);
  AttrMap attrs{{"T", DType::kFloat}, {"num_args", int64_t{1}}, {"fused_ops", std::vector<std::string>{"BiasAdd"}}};
  EXPECT_EQ(runner.Run("_FusedMatMul", attrs, {a, b, testing::RandomNormal<float>(Shape({3}), 3)}).status().code(),
            Code::kInvalidArgument);
  EXPECT_EQ(runner.Run("_FusedMatMul", attrs, {a, b, testing::RandomNormal<float>(Shape({1, 4}), 3)}).status().code(),
            Code::kInvalidArgument);
  attrs.Set("fused_ops", std::vector<std::string>{"ReluGrad"});
  EXPECT_EQ(runner.Run("_FusedMatMul", attrs, {a, b, testing::RandomNormal<float>(Shape({4}), 3)}).status().code(),
            Code::kInvalidArgument);
  attrs.Set("fused_ops", std::vector<std::string>{"BiasAdd", "Elu"});
  EXPECT_EQ(runner.Run("_FusedMatMul", attrs, {a, b, testing::RandomNormal<float>(Shape({4}), 3)}).status().code(),
            Code::kUnimplemented);
}

}  // namespace
}  // namespace dfrun
