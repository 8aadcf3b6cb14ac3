#include "kernels/matrix/block_sparse_gemm.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "kernels/matrix/direct_gemm.h"
#include "kernels/matrix/gemm_plan.h"
#include "kernels/matrix/packed_gemm.h"
#include "src/executor/worker_pool.h"
#include "src/framework/tensor.h"

namespace dfrun {
namespace {

struct Size {
  int64_t m, k, n;
};
// One pass and several, blocks of C that are whole and not, whole vectors and not, several parts of A's rows.
constexpr Size kSizes[] = {{128, 1024, 512}, {70, 700, 400}, {97, 1601, 131}, {1500, 832, 128}, {64, 2048, 160}};

// A matrix in memory of some rows, which are farther apart than they are long.
template <class T>
class Matrix {
 public:
  Matrix(int64_t rows, int64_t columns, unsigned seed)
      : columns_(columns), stride_(columns + 5), data_(static_cast<size_t>(rows * stride_)) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-100, 100);
    for (T& x : data_) x = static_cast<T>(uniform(random));
  }
  int64_t columns() const { return columns_; }
  T& at(int64_t row, int64_t column) { return data_[static_cast<size_t>(row * stride_ + column)]; }
  MatrixView<const T> view(bool transposed) const { return {data_.data(), stride_, transposed}; }
  MatrixView<T> c() { return {data_.data(), stride_, false}; }
  bool operator==(const Matrix& other) const {
    return std::memcmp(data_.data(), other.data_.data(), data_.size() * sizeof(T)) == 0;
  }

 private:
  int64_t columns_;
  int64_t stride_;
  std::vector<T> data_;
};

enum class Zeros {
  kColumns,    // some units' in most samples, the others' in few
  kRows,       // some samples' of most units
  kScattered,  // half of all: hardly anything can be left out
  kAll,
};

// A of which elements are zero, half of them with either sign.
template <class T>
Matrix<T> SparseA(const Size& s, bool transposed, Zeros zeros) {
  Matrix<T> a(transposed ? s.k : s.m, transposed ? s.m : s.k, 1);
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<bool> is_off(static_cast<size_t>(std::max(s.m, s.k)));  // a row or a column
  for (size_t i = 0; i < is_off.size(); ++i) is_off[i] = uniform(random) < 0.5;
  for (int64_t i = 0; i < s.m; ++i) {
    for (int64_t p = 0; p < s.k; ++p) {
      double share = 0.5;
      if (zeros == Zeros::kColumns) share = is_off[static_cast<size_t>(p)] ? 0.97 : 0.1;
      if (zeros == Zeros::kRows) share = is_off[static_cast<size_t>(i)] ? 0.99 : 0.1;
      if (zeros == Zeros::kAll) share = 1;
      if (uniform(random) < share) a.at(transposed ? p : i, transposed ? i : p) = i % 2 == 0 ? T{0} : -T{0};
    }
  }
  return a;
}

template <class T>
bool RunSparse(const Size& s, const Matrix<T>& a, bool transposed_a, const Matrix<T>& b, bool transposed_b,
               Matrix<T>& c, const GemmOutput<T>& output = {}) {
  const BlockSparseGemm<T> gemm(s.m, s.k, s.n, transposed_a, transposed_b, output);
  if (!gemm.is_worth_trying()) return false;
  Tensor scratch(DTypeOf<T>, Shape({gemm.scratch_elements()}));
  return gemm.Run(a.view(transposed_a), b.view(transposed_b), c.c(), scratch.data<T>());
}

template <class T>
Tensor Dense(const Matrix<T>& matrix, int64_t rows) {
  Tensor dense(DTypeOf<T>, Shape({rows, matrix.columns()}));
  for (int64_t i = 0; i < rows; ++i) {
    std::copy_n(matrix.view(false).At(i, 0).data, matrix.columns(), dense.data<T>() + i * matrix.columns());
  }
  return dense;
}

template <class T>
class BlockSparseGemmTest : public ::testing::Test {};
using Types = ::testing::Types<float, double>;
TYPED_TEST_SUITE(BlockSparseGemmTest, Types);

TYPED_TEST(BlockSparseGemmTest, HasTheBitsOfDirectGemmAndWritesNothingBesideC) {
  using T = TypeParam;
  int ran = 0;
  for (const Size& s : kSizes) {
    for (const Zeros zeros : {Zeros::kColumns, Zeros::kRows, Zeros::kScattered, Zeros::kAll}) {
      for (int transposed = 0; transposed < 4; ++transposed) {
        const bool ta = (transposed & 1) != 0;
        const bool tb = (transposed & 2) != 0;
        if (tb && (s.n % kLanes<T> != 0 || s.k % kLanes<T> != 0)) continue;
        const Matrix<T> a = SparseA<T>(s, ta, zeros);
        const Matrix<T> b(tb ? s.n : s.k, tb ? s.k : s.n, 2);
        Matrix<T> c(s.m, s.n, 3);
        if (!RunSparse(s, a, ta, b, tb, c)) {
          EXPECT_EQ(c, Matrix<T>(s.m, s.n, 3)) << "a refused product changed C";
          EXPECT_NE(zeros, Zeros::kAll);
          continue;
        }
        ++ran;
        Matrix<T> expected(s.m, s.n, 3);
        DirectGemm<T>(s.m, s.k, s.n, a.view(ta), b.view(tb), expected.c());
        EXPECT_EQ(c, expected) << s.m << " x " << s.k << " x " << s.n << ", transposed " << transposed << ", zeros "
                               << static_cast<int>(zeros);
      }
    }
  }
  EXPECT_GE(ran, 30);
}

TYPED_TEST(BlockSparseGemmTest, RefusesAnAWithFewZeros) {
  using T = TypeParam;
  const Size s = kSizes[0];
  const Matrix<T> a(s.m, s.k, 1);
  const Matrix<T> b(s.k, s.n, 2);
  Matrix<T> c(s.m, s.n, 3);
  EXPECT_FALSE(RunSparse(s, a, false, b, false, c));
  EXPECT_EQ(c, Matrix<T>(s.m, s.n, 3));
}

TYPED_TEST(BlockSparseGemmTest, FinishesProductsAsDirectGemmDoes) {
  using T = TypeParam;
  const Size s{100, 900, 300};
  const Matrix<T> a = SparseA<T>(s, false, Zeros::kColumns);
  const Matrix<T> b(s.k, s.n, 2);
  Matrix<T> bias(1, s.n, 4);
  const Matrix<T> features(s.m, s.n, 5);
  const std::vector<GemmOutput<T>> outputs = {
      {.bias = &bias.at(0, 0)}, {.bias = &bias.at(0, 0), .relu = true}, {.features = features.view(false)}};
  for (const GemmOutput<T>& output : outputs) {
    Matrix<T> c(s.m, s.n, 3);
    ASSERT_TRUE(RunSparse(s, a, false, b, false, c, output));
    Matrix<T> expected(s.m, s.n, 3);
    DirectGemm<T>(s.m, s.k, s.n, a.view(false), b.view(false), expected.c(), output);
    EXPECT_EQ(c, expected);
  }
}

TYPED_TEST(BlockSparseGemmTest, TakesAProductIntoCAsPackedGemmDoes) {
  using T = TypeParam;
  const Size s{300, 900, 300};
  for (const bool ta : {false, true}) {
    const Matrix<T> a = SparseA<T>(s, ta, Zeros::kColumns);
    const Matrix<T> b(s.k, s.n, 2);
    for (const GemmInto into : {GemmInto::kAdd, GemmInto::kDescend}) {
      const GemmOutput<T> output{.into = into, .rate = T{0.3}};
      Matrix<T> c(s.m, s.n, 3);
      ASSERT_TRUE(RunSparse(s, a, ta, b, false, c, output));
      Matrix<T> expected(s.m, s.n, 3);
      const PackedGemm<T> packed(s.m, s.k, s.n, output);
      Tensor scratch(DTypeOf<T>, Shape({packed.scratch_elements()}));
      packed.Run(a.view(ta), b.view(false), expected.c(), scratch.data<T>());
      EXPECT_EQ(c, expected);
    }
  }
}

TYPED_TEST(BlockSparseGemmTest, IsTakenByProductsWithTheSameBitsOnAnyNumberOfThreads) {
  using T = TypeParam;
  InlineThreadPool one;
  WorkerPool three(3);
  for (const GemmShape& s : {GemmShape{320, 800, 512, false, false}, GemmShape{128, 800, 512, false, true},
                             GemmShape{512, 320, 512, true, false}}) {
    const Size size{s.m, s.k, s.n};
    const Tensor a = Dense(SparseA<T>(size, s.transpose_a, Zeros::kColumns), s.transpose_a ? s.k : s.m);
    const Tensor b =
        Dense(Matrix<T>(s.transpose_b ? s.n : s.k, s.transpose_b ? s.k : s.n, 2), s.transpose_b ? s.n : s.k);
    Tensor expected(DTypeOf<T>, Shape({s.m, s.n}));
    DirectGemm<T>(s.m, s.k, s.n, ViewA(s, a.data<T>()), ViewB(s, b.data<T>()), {expected.data<T>(), s.n, false});
    for (ThreadPool* pool : {static_cast<ThreadPool*>(&one), static_cast<ThreadPool*>(&three)}) {
      Tensor c(DTypeOf<T>, Shape({s.m, s.n}));
      ASSERT_TRUE(GemmPlan<T>(s).Run(a.data<T>(), b.data<T>(), c.data<T>(), *pool, SystemAllocator()).ok());
      EXPECT_EQ(std::memcmp(c.raw(), expected.raw(), c.num_bytes()), 0) << s.m << " x " << s.k << " x " << s.n;
    }
  }
}

// Zero times infinity, and anything times NaN, is NaN.
TYPED_TEST(BlockSparseGemmTest, MultipliesWhatIsNotFiniteByZerosToo) {
  using T = TypeParam;
  for (const bool tb : {false, true}) {
    const Size s{128, 1024, 160};
    Matrix<T> a = SparseA<T>(s, false, Zeros::kColumns);
    for (int64_t i = 0; i < s.m; ++i) a.at(i, 17) = 0;
    Matrix<T> b(tb ? s.n : s.k, tb ? s.k : s.n, 2);
    const auto element = [&](int64_t p, int64_t j) -> T& { return tb ? b.at(j, p) : b.at(p, j); };
    element(17, 3) = std::numeric_limits<T>::infinity();
    element(17, 150) = -std::numeric_limits<T>::infinity();
    element(1000, 70) = std::numeric_limits<T>::quiet_NaN();
    Matrix<T> c(s.m, s.n, 3);
    ASSERT_TRUE(RunSparse(s, a, false, b, tb, c));
    Matrix<T> expected(s.m, s.n, 3);
    DirectGemm<T>(s.m, s.k, s.n, a.view(false), b.view(tb), expected.c());
    for (int64_t i = 0; i < s.m; ++i) {
      for (int64_t j = 0; j < s.n; ++j) {
        EXPECT_EQ(std::isnan(c.at(i, j)), j == 3 || j == 70 || j == 150) << i << ", " << j;
        if (!std::isnan(expected.at(i, j))) {
          EXPECT_EQ(c.at(i, j), expected.at(i, j)) << i << ", " << j;
        }
      }
    }
  }
}

}  // namespace
}  // namespace dfrun
