#include "kernels/matrix/blocked_gemm.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>
#include <vector>

#include "kernels/matrix/gemm_plan.h"
#include "src/executor/worker_pool.h"
#include "src/framework/tensor.h"

namespace dfrun {
namespace {

// Each of a way that a product may take: rows of B that alias, panels that are kept, several passes over k, several
// blocks of A's rows, C computed transposed (where B is a transpose), few rows or columns, nothing whole, both
// operands copied in passes and blocks of which none is whole, panels that are kept of several passes and parts of B,
// operands that are read as they lie where the second-level cache has 2 MiB, few steps over k.
constexpr int64_t kSizes[][3] = {{20, 300, 1024}, {32, 512, 1024},   {700, 80, 500},   {5, 2100, 70},
                                 {600, 1100, 50}, {33, 1030, 517},   {1, 700, 300},    {300, 700, 1},
                                 {130, 260, 10},  {128, 1000, 1000}, {40, 1024, 2048}, {1, 1, 1},
                                 {300, 900, 250}, {210, 2100, 600},  {210, 250, 240},  {700, 40, 500}};

template <class T>
Tensor RandomMatrix(int64_t rows, int64_t columns, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-100, 100);
  Tensor tensor(DTypeOf<T>, Shape({rows, columns}));
  for (int64_t i = 0; i < tensor.num_elements(); ++i) tensor.data<T>()[i] = static_cast<T>(uniform(random));
  return tensor;
}

template <class T>
class BlockedGemmTest : public ::testing::Test {};
using Types = ::testing::Types<float, double, int32_t, int64_t>;
TYPED_TEST_SUITE(BlockedGemmTest, Types);

// DirectGemm sums every element over k in order; its own tests hold it to the definition.
TYPED_TEST(BlockedGemmTest, HasTheBitsOfDirectGemmOnAnyNumberOfThreads) {
  using T = TypeParam;
  InlineThreadPool one;
  WorkerPool three(3);
  for (const auto& [m, k, n] : kSizes) {
    for (int transposed = 0; transposed < 4; ++transposed) {
      const GemmShape s{m, k, n, (transposed & 1) != 0, (transposed & 2) != 0};
      const Tensor a = s.transpose_a ? RandomMatrix<T>(k, m, 1) : RandomMatrix<T>(m, k, 1);
      const Tensor b = s.transpose_b ? RandomMatrix<T>(n, k, 2) : RandomMatrix<T>(k, n, 2);
      Tensor expected = RandomMatrix<T>(m, n, 3);
      DirectGemm<T>(m, k, n, ViewA(s, a.data<T>()), ViewB(s, b.data<T>()), {expected.data<T>(), n, false});
      for (ThreadPool* pool : {static_cast<ThreadPool*>(&one), static_cast<ThreadPool*>(&three)}) {
        Tensor c = RandomMatrix<T>(m, n, 4);
        ASSERT_TRUE(GemmPlan<T>(s).Run(a.data<T>(), b.data<T>(), c.data<T>(), *pool, SystemAllocator()).ok());
        EXPECT_EQ(std::memcmp(c.raw(), expected.raw(), c.num_bytes()), 0)
            << m << " x " << k << " x " << n << ", transposed " << transposed << ", threads " << pool->num_threads();
      }
    }
  }
}

// Rows of C that are farther apart than they are long keep what stands between them.
TEST(BlockedGemm, WritesNothingBesideItsTile) {
  constexpr int64_t kStride = 700;
  for (const auto& [m, k, n] : kSizes) {
    if (n >= kStride) continue;
    for (bool transposed_b : {false, true}) {
      const Tensor a = RandomMatrix<float>(m, k, 1);
      const Tensor b = transposed_b ? RandomMatrix<float>(n, k, 2) : RandomMatrix<float>(k, n, 2);
      Tensor c = RandomMatrix<float>(m, kStride, 3);
      const Tensor before = RandomMatrix<float>(m, kStride, 3);
      const BlockedGemm<float> gemm(m, k, n, false, transposed_b);
      Tensor scratch = RandomMatrix<float>(1, gemm.scratch_elements(), 4);
      gemm.Run({a.data<float>(), k, false}, {b.data<float>(), transposed_b ? k : n, transposed_b},
               {c.data<float>(), kStride, false}, scratch.data<float>());
      for (int64_t i = 0; i < m; ++i) {
        const size_t rest = static_cast<size_t>(kStride - n) * sizeof(float);
        EXPECT_EQ(std::memcmp(c.data<float>() + i * kStride + n, before.data<float>() + i * kStride + n, rest), 0);
      }
    }
  }
}

}  // namespace
}  // namespace dfrun
