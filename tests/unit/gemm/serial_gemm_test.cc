#include "kernels/gemm/serial_gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "kernels/gemm/parallel_gemm.h"
#include "src/executor/step/worker_pool.h"
#include "src/framework/values/tensor.h"

namespace dfrun {
namespace {

// Each size exercises a variant of the product: rows of B that alias, prepacked panels, several passes over k, several
// blocks of A's rows, C computed transposed (if B is transposed), few rows or columns, nothing whole, both operands
// packed in passes and blocks of which none is whole, a transposed B that is too large to be prepacked, small operands
// that are read in place, few steps over k.
constexpr int64_t kSizes[][3] = {
    {20, 300, 1024}, {32, 512, 1024},  {700, 80, 500},  {5, 2100, 70},     {600, 1100, 50},  {33, 1030, 517},
    {1, 700, 300},   {300, 700, 1},    {130, 260, 10},  {128, 1000, 1000}, {40, 1024, 2048}, {1, 1, 1},
    {300, 900, 250}, {210, 2100, 600}, {210, 250, 240}, {700, 40, 500},    {600, 990, 701}};

template <class T>
Tensor RandomMatrix(int64_t rows, int64_t columns, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-100, 100);
  Tensor tensor(DTypeOf<T>, Shape({rows, columns}));
  for (int64_t i = 0; i < tensor.num_elements(); ++i) tensor.data<T>()[i] = static_cast<T>(uniform(random));
  return tensor;
}

template <class T>
class SerialGemmTest : public ::testing::Test {};
using Types = ::testing::Types<float, double, int32_t, int64_t>;
TYPED_TEST_SUITE(SerialGemmTest, Types);

// UnpackedGemm sums every element over k in order; its own tests hold it to the definition.
TYPED_TEST(SerialGemmTest, HasTheBitsOfUnpackedGemmOnAnyNumberOfThreads) {
  using T = TypeParam;
  InlineThreadPool one;
  WorkerPool three(3);
  for (const auto& [m, k, n] : kSizes) {
    for (int transposed = 0; transposed < 4; ++transposed) {
      const GemmShape s{m, k, n, (transposed & 1) != 0, (transposed & 2) != 0};
      const Tensor a = s.transpose_a ? RandomMatrix<T>(k, m, 1) : RandomMatrix<T>(m, k, 1);
      const Tensor b = s.transpose_b ? RandomMatrix<T>(n, k, 2) : RandomMatrix<T>(k, n, 2);
      Tensor expected = RandomMatrix<T>(m, n, 3);
      UnpackedGemm<T>(m, k, n, ViewA(s, a.data<T>()), ViewB(s, b.data<T>()), {expected.data<T>(), n, false});
      for (ThreadPool* pool : {static_cast<ThreadPool*>(&one), static_cast<ThreadPool*>(&three)}) {
        Tensor c = RandomMatrix<T>(m, n, 4);
        ASSERT_TRUE(RunSerial(s, a.data<T>(), b.data<T>(), c.data<T>(), *pool, SystemAllocator()).ok());
        EXPECT_EQ(std::memcmp(c.raw(), expected.raw(), c.num_bytes()), 0)
            << m << " x " << k << " x " << n << ", transposed " << transposed << ", threads " << pool->num_threads();
      }
    }
  }
}

// Rows of C that are farther apart than they are long keep what stands between them.
TEST(SerialGemm, WritesNothingBesideItsTile) {
  constexpr int64_t kStride = 700;
  for (const auto& [m, k, n] : kSizes) {
    if (n >= kStride) continue;
    for (bool transposed_b : {false, true}) {
      const Tensor a = RandomMatrix<float>(m, k, 1);
      const Tensor b = transposed_b ? RandomMatrix<float>(n, k, 2) : RandomMatrix<float>(k, n, 2);
      Tensor c = RandomMatrix<float>(m, kStride, 3);
      const Tensor before = RandomMatrix<float>(m, kStride, 3);
      const SerialGemm<float> gemm(m, k, n, false, transposed_b);
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

// The operands of a product, and C as it was before.
template <class T>
struct Operands {
  explicit Operands(const GemmShape& shape)
      : s(shape),
        a(s.transpose_a ? RandomMatrix<T>(s.k, s.m, 1) : RandomMatrix<T>(s.m, s.k, 1)),
        b(s.transpose_b ? RandomMatrix<T>(s.n, s.k, 2) : RandomMatrix<T>(s.k, s.n, 2)),
        was(RandomMatrix<T>(s.m, s.n, 3)),
        bias(RandomMatrix<T>(1, s.n, 4)),
        features(RandomMatrix<T>(s.m, s.n, 5)),
        product(DTypeOf<T>, Shape({s.m, s.n})) {
    UnpackedGemm<T>(s.m, s.k, s.n, ViewA(s, a.data<T>()), ViewB(s, b.data<T>()), {product.data<T>(), s.n, false});
  }
  // Returns the product of each element by itself, rounded after every operation.
  Tensor Expected(const Epilogue<T>& e) const {
    Tensor c(DTypeOf<T>, Shape({s.m, s.n}));
    for (int64_t i = 0; i < s.m; ++i) {
      for (int64_t j = 0; j < s.n; ++j) {
        T& x = c.data<T>()[i * s.n + j];
        x = product.data<T>()[i * s.n + j];
        if (e.scales()) x = e.beta * was.data<T>()[i * s.n + j] + e.alpha * x;
        if (e.bias != nullptr) x += e.bias[j];
        if (e.relu) x = std::max(x, T{0});
        if (e.features.data != nullptr) x *= e.features.data[i * s.n + j] > 0 ? T{1} : T{0};
      }
    }
    return c;
  }
  GemmShape s;
  Tensor a, b, was, bias, features, product;
};

template <class T>
class EpilogueTest : public ::testing::Test {};
using FloatingTypes = ::testing::Types<float, double>;
TYPED_TEST_SUITE(EpilogueTest, FloatingTypes);

TYPED_TEST(EpilogueTest, HasTheBitsOfItsOperationsInEveryAlgorithm) {
  using T = TypeParam;
  WorkerPool three(3);
  for (const auto& [m, k, n] : kSizes) {
    for (int transposed = 0; transposed < 4; ++transposed) {
      const Operands<T> o({m, k, n, (transposed & 1) != 0, (transposed & 2) != 0});
      const T* const bias = o.bias.template data<T>();
      for (const Epilogue<T>& epilogue :
           {Epilogue<T>{.beta = 1}, Epilogue<T>{.alpha = T(-0.3), .beta = T(0.2)}, Epilogue<T>{.alpha = T(0.7)},
            Epilogue<T>{.bias = bias}, Epilogue<T>{.bias = bias, .relu = true},
            Epilogue<T>{.features = {o.features.template data<T>(), n, false}},
            Epilogue<T>{.alpha = T(0.5), .beta = 1, .bias = bias, .relu = true}}) {
        Tensor c(DTypeOf<T>, Shape({m, n}));
        std::memcpy(c.raw(), o.was.raw(), c.num_bytes());
        ASSERT_TRUE(RunSerial(o.s, o.a.template data<T>(), o.b.template data<T>(), c.data<T>(), three,
                              SystemAllocator(), epilogue)
                        .ok());
        const Tensor expected = o.Expected(epilogue);
        EXPECT_EQ(std::memcmp(c.raw(), expected.raw(), c.num_bytes()), 0)
            << m << " x " << k << " x " << n << ", transposed " << transposed << ", alpha " << epilogue.alpha;
      }
    }
  }
}

// Zero times infinity, and anything times NaN, is NaN.
TEST(SerialGemm, MultipliesByZeros) {
  for (const auto& [m, k, n] : kSizes) {
    Tensor a(DType::kFloat, Shape({m, k}));
    std::fill_n(a.data<float>(), a.num_elements(), 0.0F);
    Tensor b = RandomMatrix<float>(k, n, 2);
    b.data<float>()[(k - 1) * n] = std::numeric_limits<float>::infinity();
    Tensor c(DType::kFloat, Shape({m, n}));
    InlineThreadPool pool;
    ASSERT_TRUE(RunSerial({m, k, n}, a.data<float>(), b.data<float>(), c.data<float>(), pool, SystemAllocator()).ok());
    for (int64_t i = 0; i < m; ++i) {
      for (int64_t j = 0; j < n; ++j) EXPECT_EQ(std::isnan(c.data<float>()[i * n + j]), j == 0) << i << ", " << j;
    }
  }
}

}  // namespace
}  // namespace dfrun
