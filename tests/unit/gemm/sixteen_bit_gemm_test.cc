#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "kernels/gemm/amx_gemm.h"
#include "src/executor/step/worker_pool.h"
#include "src/framework/values/tensor.h"

namespace dfrun {
namespace {

// One tile and less, k and sides that tiles do not divide, A read as it lies with rows left over, several passes over
// k, parts of C side by side and below each other, several blocks of A's rows.
constexpr int64_t kSizes[][3] = {{1, 1, 1},      {32, 64, 32},   {77, 96, 40},   {40, 33, 100},  {1, 1030, 50},
                                 {130, 1024, 9}, {64, 1100, 70}, {600, 260, 90}, {40, 50, 1100}, {300, 2100, 70}};

template <class T>
Tensor RandomMatrix(int64_t rows, int64_t columns, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  Tensor tensor(DTypeOf<T>, Shape({rows, columns}));
  for (int64_t i = 0; i < tensor.num_elements(); ++i) tensor.data<T>()[i] = T(uniform(random));
  return tensor;
}

// Sums of k products in float, rounded to T at the end.
template <class T>
void ExpectProduct(const GemmShape& s, const Tensor& a, const Tensor& b, const Tensor& c) {
  constexpr double kRounding = std::is_same_v<T, bfloat16> ? 0x1p-8 : 0x1p-11;
  for (int64_t i = 0; i < s.m; ++i) {
    for (int64_t j = 0; j < s.n; ++j) {
      double sum = 0;
      double magnitude = 0;
      for (int64_t p = 0; p < s.k; ++p) {
        const auto x = static_cast<float>(a.data<T>()[s.transpose_a ? p * s.m + i : i * s.k + p]);
        const auto y = static_cast<float>(b.data<T>()[s.transpose_b ? j * s.k + p : p * s.n + j]);
        sum += static_cast<double>(x) * y;
        magnitude += std::abs(static_cast<double>(x) * y);
      }
      const double error = kRounding * std::abs(sum) + 0x1p-24 * static_cast<double>(s.k) * magnitude;
      ASSERT_NEAR(static_cast<float>(c.data<T>()[i * s.n + j]), sum, error)
          << s.m << " x " << s.k << " x " << s.n << " at " << i << ", " << j;
    }
  }
}

// Runs the product on one thread and on three.
template <class T>
void ExpectProductOnAnyThreads(const GemmShape& s, const Gemm<T>& gemm) {
  InlineThreadPool one;
  WorkerPool three(3);
  const Tensor a = s.transpose_a ? RandomMatrix<T>(s.k, s.m, 1) : RandomMatrix<T>(s.m, s.k, 1);
  const Tensor b = s.transpose_b ? RandomMatrix<T>(s.n, s.k, 2) : RandomMatrix<T>(s.k, s.n, 2);
  Tensor c(DTypeOf<T>, Shape({s.m, s.n}));
  Tensor on_three(DTypeOf<T>, Shape({s.m, s.n}));
  const auto run = [&](ThreadPool& pool, Tensor& to) {
    return gemm.Run(a.data<T>(), b.data<T>(), to.data<T>(), pool, SystemAllocator());
  };
  ASSERT_TRUE(run(one, c).ok());
  ASSERT_TRUE(run(three, on_three).ok());
  EXPECT_EQ(std::memcmp(c.raw(), on_three.raw(), c.num_bytes()), 0) << s.m << " x " << s.k << " x " << s.n;
  ExpectProduct<T>(s, a, b, c);
}

// Calls `body` with a GemmShape of each of kSizes, of either operand transposed and not.
template <class F>
void ForEachShape(F body) {
  for (const auto& [m, k, n] : kSizes) {
    for (int transposed = 0; transposed < 4; ++transposed) {
      body(GemmShape{m, k, n, (transposed & 1) != 0, (transposed & 2) != 0});
    }
  }
}

class AmxGemmTest : public testing::Test {
 protected:
  void SetUp() override {
    if (MakeAmxGemm({1, 1, 1}) == nullptr) GTEST_SKIP() << "this machine or this build has no tile registers";
  }
};

TEST_F(AmxGemmTest, IsAProductWithTheSameBitsOnAnyNumberOfThreads) {
  ForEachShape([](const GemmShape& s) { ExpectProductOnAnyThreads(s, *MakeAmxGemm(s)); });
}

// The variant is the one that is chosen on this machine.
template <class T>
class ChosenGemmTest : public testing::Test {};
using SixteenBits = testing::Types<bfloat16, float16>;
TYPED_TEST_SUITE(ChosenGemmTest, SixteenBits);

TYPED_TEST(ChosenGemmTest, IsAProductWithTheSameBitsOnAnyNumberOfThreads) {
  ForEachShape([](const GemmShape& s) {
    const auto gemm = Gemm<TypeParam>::Create(s);
    ASSERT_TRUE(gemm.ok());
    ExpectProductOnAnyThreads(s, **gemm);
  });
}

// Elements behind the last row of an operand would meet zeros only, but must not be read even so: they may be NaN.
TEST_F(AmxGemmTest, InfinityTimesNothingIsNothing) {
  const GemmShape s{3, 5, 2, false, false};
  const auto gemm = MakeAmxGemm(s);
  ASSERT_NE(gemm, nullptr);
  std::vector<bfloat16> a(64, bfloat16(INFINITY));
  std::vector<bfloat16> b(64, bfloat16(NAN));
  std::fill_n(a.begin(), 15, bfloat16(1.0F));
  std::fill_n(b.begin(), 10, bfloat16(2.0F));
  std::vector<bfloat16> c(7, bfloat16(-1.0F));
  InlineThreadPool pool;
  ASSERT_TRUE(gemm->Run(a.data(), b.data(), c.data(), pool, SystemAllocator()).ok());
  for (int i = 0; i < 6; ++i) EXPECT_EQ(static_cast<float>(c[i]), 10.0F);
  EXPECT_EQ(static_cast<float>(c[6]), -1.0F);
}

}  // namespace
}  // namespace dfrun
