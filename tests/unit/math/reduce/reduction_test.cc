// Large reductions: accuracy against the exact result, and the same bits on any number of threads.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/unit/testing/node_runner.h"

namespace dfrun {
namespace {

using testing::NodeRunner;

template <class T>
Tensor Random(const Shape& shape, double low, double high) {
  Tensor tensor(DTypeOf<T>, shape);
  std::mt19937_64 random(42);
  std::uniform_real_distribution<double> uniform(low, high);
  for (int64_t i = 0; i < shape.num_elements(); ++i)
    tensor.data<T>()[i] = static_cast<T>(static_cast<float>(uniform(random)));
  return tensor;
}

template <class T>
constexpr double kUnit = std::is_same_v<T, double>  ? 0x1p-52
                         : std::is_same_v<T, float> ? 0x1p-23
                                                    : 0x1p-7;

// Sums over the axes of a matrix that is viewed as [outer, reduced, inner], with the exact result beside it.
template <class T>
void CheckSum(const Shape& shape, std::initializer_list<int32_t> axes, double low) {
  NodeRunner runner;
  const Tensor x = Random<T>(shape, low, 2);
  const Result<std::vector<Tensor>> y = runner.Run("Sum", {}, {x, Tensor::Vector<int32_t>(axes)});
  ASSERT_TRUE(y.ok()) << y.status().ToString();
  const Tensor& sums = (*y)[0];
  std::vector<long double> exact(static_cast<size_t>(sums.num_elements()), 0);
  std::vector<bool> reduced(static_cast<size_t>(shape.rank()), false);
  for (int32_t a : axes) reduced[static_cast<size_t>(a)] = true;
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    int64_t rest = i;
    int64_t at = 0;
    int64_t stride = 1;
    for (int d = shape.rank() - 1; d >= 0; --d) {
      if (!reduced[d]) {
        at += rest % shape.dim(d) * stride;
        stride *= shape.dim(d);
      }
      rest /= shape.dim(d);
    }
    exact[at] += static_cast<double>(x.data<T>()[i]);
  }
  const auto n = static_cast<double>(shape.num_elements()) / static_cast<double>(sums.num_elements());
  for (int64_t i = 0; i < sums.num_elements(); ++i) {
    // 4 * sqrt(n) units in the last place is what TensorFlow's own sums need; ours are far closer.
    const double unit = kUnit<T> * std::abs(static_cast<double>(exact[i]));
    const double allowed = std::is_same_v<T, double> ? std::sqrt(n) / 4 : 1;
    ASSERT_NEAR(static_cast<double>(sums.data<T>()[i]), static_cast<double>(exact[i]), allowed * unit) << i;
  }
}

TEST(Reduction, SumsOfManyElementsAreExactToTheLastPlace) {
  CheckSum<float>({1 << 20}, {0}, 0.1);
  CheckSum<float>({(1 << 20) + 17}, {0}, 0.1);
  CheckSum<bfloat16>({300001}, {0}, 0.1);
}

TEST(Reduction, SumsOfDoublesArePairwise) {
  CheckSum<double>({(1 << 20) + 3}, {0}, 0.1);
  CheckSum<double>({700, 300}, {0}, 0.1);
}

TEST(Reduction, EveryLayoutIsSummedRight) {
  CheckSum<float>({300, 700}, {0}, 0.1);
  CheckSum<float>({300, 700}, {1}, 0.1);
  CheckSum<float>({70001, 3}, {0}, 0.1);
  CheckSum<float>({3, 70001}, {1}, 0.1);
  CheckSum<float>({2, 70001}, {0}, 0.1);
  CheckSum<float>({5, 130, 7, 90}, {0, 2}, 0.1);
  CheckSum<float>({5, 130, 7, 90}, {1, 3}, 0.1);
  CheckSum<float>({2, 5000, 3, 4, 2}, {1, 3}, 0.1);
}

TEST(Reduction, ShortRowsAreSummedRight) {
  for (int64_t row : {2, 3, 10, 31, 32, 33}) {
    for (int64_t rows : {7, 100, 20'001}) {
      CheckSum<float>(Shape({rows, row}), {1}, -1);
      CheckSum<double>(Shape({rows, row}), {1}, 1);
      CheckSum<bfloat16>(Shape({rows, row}), {1}, 1);
    }
  }
}

TEST(Reduction, ExtremesOfShortRows) {
  Tensor x = Random<float>(Shape({1000, 10}), -1, 1);
  x.data<float>()[25] = NAN;
  NodeRunner runner;
  const Result<std::vector<Tensor>> largest = runner.Run("Max", {}, {x, Tensor::Scalar<int32_t>(1)});
  const Result<std::vector<Tensor>> smallest = runner.Run("Min", {}, {x, Tensor::Scalar<int32_t>(1)});
  ASSERT_TRUE(largest.ok() && smallest.ok());
  for (int64_t r = 0; r < 1000; ++r) {
    const float* row = x.data<float>() + r * 10;
    const float y = (*largest)[0].data<float>()[r];
    if (r == 2) {
      EXPECT_TRUE(std::isnan(y));
    } else {
      EXPECT_EQ(y, *std::max_element(row, row + 10)) << r;
      EXPECT_EQ((*smallest)[0].data<float>()[r], *std::min_element(row, row + 10)) << r;
    }
  }
}

// Exclusive and not, from either end, along any dimension.
TEST(Cumulative, SumsAlongAnyDimension) {
  NodeRunner runner;
  const Shape shape({3, 70, 300});
  const Tensor x = Random<double>(shape, -1, 1);
  const int64_t strides[] = {21000, 300, 1};
  for (int axis = 0; axis < 3; ++axis) {
    for (int form = 0; form < 4; ++form) {
      const bool exclusive = form % 2 != 0;
      const bool reverse = form / 2 != 0;
      const Result<std::vector<Tensor>> y =
          runner.Run("Cumsum", {{"exclusive", exclusive}, {"reverse", reverse}}, {x, Tensor::Scalar<int32_t>(axis)});
      ASSERT_TRUE(y.ok()) << y.status().ToString();
      const int64_t stride = strides[axis];
      const int64_t size = shape.dim(axis);
      for (int64_t i = 0; i < x.num_elements(); ++i) {
        const int64_t at = i / stride % size;
        double sum = exclusive ? 0 : x.data<double>()[i];
        const int64_t step = reverse ? 1 : -1;
        for (int64_t k = at + step; k >= 0 && k < size; k += step) sum += x.data<double>()[i + (k - at) * stride];
        ASSERT_NEAR((*y)[0].data<double>()[i], sum, 1e-13 * static_cast<double>(size))
            << axis << " " << form << " " << i;
      }
    }
  }
}

TEST(Reduction, MeanAndExtremesOfLargeTensors) {
  NodeRunner runner;
  Tensor x(DType::kFloat, {400, 500});
  for (int64_t i = 0; i < x.num_elements(); ++i) x.data<float>()[i] = static_cast<float>(i % 1000);
  const Tensor axes = Tensor::Vector<int32_t>({0, 1});
  EXPECT_EQ((*runner.Run("Mean", {}, {x, axes}))[0].scalar<float>(), 499.5F);
  EXPECT_EQ((*runner.Run("Max", {}, {x, axes}))[0].scalar<float>(), 999.0F);
  EXPECT_EQ((*runner.Run("Min", {}, {x, axes}))[0].scalar<float>(), 0.0F);
  x.data<float>()[123456] = NAN;
  EXPECT_TRUE(std::isnan((*runner.Run("Max", {}, {x, axes}))[0].scalar<float>()));
  EXPECT_TRUE(std::isnan((*runner.Run("Min", {}, {x, axes}))[0].scalar<float>()));
}

}  // namespace
}  // namespace dfrun
