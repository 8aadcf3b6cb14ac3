#include <gtest/gtest.h>

#include <complex>
#include <random>

#include "tests/unit/testing/node_runner.h"

namespace dfrun {
namespace {

using testing::ExpectNear;
using testing::Make;
using testing::NodeRunner;

// Small integers: every product and sum is exact in every dtype, so that the definition gives the bits.
template <class T>
Tensor RandomIntegers(const Shape& shape, unsigned seed) {
  std::mt19937 random(seed);
  Tensor tensor(DTypeOf<T>, shape);
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    tensor.data<T>()[i] = static_cast<T>(static_cast<float>(static_cast<int>(random() % 3) - 1));
  }
  return tensor;
}

// sum over p of a(i, p) b(p, j).
template <class T>
Tensor Definition(const Tensor& a, bool ta, const Tensor& b, bool tb) {
  using Wide = std::conditional_t<sizeof(T) == 2, float, T>;
  const int64_t m = a.shape()[ta ? 1 : 0];
  const int64_t k = a.shape()[ta ? 0 : 1];
  const int64_t n = b.shape()[tb ? 0 : 1];
  Tensor c(DTypeOf<T>, Shape({m, n}));
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      Wide sum = Wide();
      for (int64_t p = 0; p < k; ++p) {
        sum += static_cast<Wide>(a.data<T>()[ta ? p * m + i : i * k + p]) *
               static_cast<Wide>(b.data<T>()[tb ? j * k + p : p * n + j]);
      }
      c.data<T>()[i * n + j] = static_cast<T>(sum);
    }
  }
  return c;
}

template <class T>
class MatMul : public ::testing::Test {};
using MatMulTypes =
    ::testing::Types<float, double, bfloat16, float16, int32_t, int64_t, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(MatMul, MatMulTypes);

TYPED_TEST(MatMul, FollowsTheDefinition) {
  NodeRunner runner;
  const int64_t sizes[][3] = {{1, 1, 1},   {2, 3, 4},    {32, 64, 100}, {32, 100, 10}, {17, 5, 49},
                              {3, 300, 7}, {15, 16, 33}, {1, 70, 48},   {50, 1, 1}};
  for (const auto& [m, k, n] : sizes) {
    for (int transposed = 0; transposed < 4; ++transposed) {
      const bool ta = (transposed & 1) != 0;
      const bool tb = (transposed & 2) != 0;
      const Tensor a = RandomIntegers<TypeParam>(ta ? Shape({k, m}) : Shape({m, k}), 1);
      const Tensor b = RandomIntegers<TypeParam>(tb ? Shape({n, k}) : Shape({k, n}), 2);
      auto out = runner.Run("MatMul", {{"transpose_a", ta}, {"transpose_b", tb}}, {a, b});
      ASSERT_TRUE(out.ok()) << out.status().ToString();
      EXPECT_TRUE((*out)[0].Identical(Definition<TypeParam>(a, ta, b, tb)))
          << m << "x" << k << "x" << n << " ta " << ta << " tb " << tb;
    }
  }
}

// The products exceed the direct kernel's range and are split into tiles, of which the last are smaller.
TYPED_TEST(MatMul, LargeProductsFollowTheDefinition) {
  NodeRunner runner;
  for (int transposed = 0; transposed < 4; ++transposed) {
    const bool ta = (transposed & 1) != 0;
    const bool tb = (transposed & 2) != 0;
    const Tensor a = RandomIntegers<TypeParam>(ta ? Shape({130, 301}) : Shape({301, 130}), 1);
    const Tensor b = RandomIntegers<TypeParam>(tb ? Shape({523, 130}) : Shape({130, 523}), 2);
    auto out = runner.Run("MatMul", {{"transpose_a", ta}, {"transpose_b", tb}}, {a, b});
    ASSERT_TRUE(out.ok()) << out.status().ToString();
    EXPECT_TRUE((*out)[0].Identical(Definition<TypeParam>(a, ta, b, tb))) << "ta " << ta << " tb " << tb;
  }
}

TYPED_TEST(MatMul, EmptyOperandsGiveZerosOrNothing) {
  NodeRunner runner;
  for (const auto& [m, k, n] : {std::array<int64_t, 3>{2, 0, 3}, {0, 4, 3}, {2, 4, 0}, {0, 0, 0}}) {
    auto out = runner.Run("MatMul", {},
                          {Tensor(DTypeOf<TypeParam>, Shape({m, k})), Tensor(DTypeOf<TypeParam>, Shape({k, n}))});
    ASSERT_TRUE(out.ok()) << out.status().ToString();
    EXPECT_EQ((*out)[0].shape(), Shape({m, n}));
    for (const TypeParam& value : (*out)[0].template values<TypeParam>()) EXPECT_TRUE(value == TypeParam(0.0F));
  }
}

TEST(MatMulErrors, OperandsThatDoNotFit) {
  NodeRunner runner;
  const Tensor matrix = RandomIntegers<float>(Shape({2, 3}), 1);
  for (const Tensor& other : {RandomIntegers<float>(Shape({2, 3}), 1), RandomIntegers<float>(Shape({3}), 1),
                              RandomIntegers<float>(Shape({}), 1), RandomIntegers<float>(Shape({3, 2, 1}), 1)}) {
    for (bool other_first : {false, true}) {
      auto out = other_first ? runner.Run("MatMul", {}, {other, matrix}) : runner.Run("MatMul", {}, {matrix, other});
      ASSERT_FALSE(out.ok()) << other.shape();
      EXPECT_EQ(out.status().code(), Code::kInvalidArgument);
    }
  }
}

// Sums of k products of rounded operands: an error of at most k eps of the sum of magnitudes.
TEST(MatMul, FloatIsAsExactAsFloatCanBe) {
  NodeRunner runner;
  std::mt19937 random(3);
  std::normal_distribution<float> normal;
  for (const int64_t size : {40, 300}) {
    Tensor a(DType::kFloat, Shape({size, size}));
    Tensor b(DType::kFloat, Shape({size, size}));
    for (int64_t i = 0; i < size * size; ++i) {
      a.data<float>()[i] = normal(random);
      b.data<float>()[i] = normal(random);
    }
    auto out = runner.Run("MatMul", {}, {a, b});
    ASSERT_TRUE(out.ok());
    for (int64_t i = 0; i < size; ++i) {
      for (int64_t j = 0; j < size; ++j) {
        double sum = 0;
        double magnitude = 0;
        for (int64_t p = 0; p < size; ++p) {
          const double term = static_cast<double>(a.data<float>()[i * size + p]) * b.data<float>()[p * size + j];
          sum += term;
          magnitude += std::abs(term);
        }
        ASSERT_NEAR((*out)[0].data<float>()[i * size + j], sum, 0x1p-24 * static_cast<double>(size) * magnitude);
      }
    }
  }
}

}  // namespace
}  // namespace dfrun
