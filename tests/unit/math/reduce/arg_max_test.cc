// Long rows, which are searched in pieces, and wide columns, against a plain loop.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "tests/unit/testing/node_runner.h"

namespace dfrun {
namespace {

using testing::NodeRunner;

// Few different values, so that there are ties, and some NaN.
Tensor Coarse(const Shape& shape) {
  Tensor tensor(DType::kFloat, shape);
  std::mt19937 random(3);
  for (int64_t i = 0; i < shape.num_elements(); ++i) {
    const auto draw = random() % 1000;
    tensor.data<float>()[i] = draw == 0 ? NAN : static_cast<float>(draw % 90);
  }
  return tensor;
}

// The index of the first largest of x[0], x[stride], ...
int64_t FirstLargest(const float* x, int64_t n, int64_t stride) {
  int64_t best = -1;
  for (int64_t i = 0; i < n; ++i) {
    if (!std::isnan(x[i * stride]) && (best < 0 || x[i * stride] > x[best * stride])) best = i;
  }
  return std::max<int64_t>(best, 0);
}

TEST(ArgMax, FindsTheFirstOfEqualsInAnyLayout) {
  NodeRunner runner;
  for (const Shape& shape : {Shape({2, 200003}), Shape({300, 1027}), Shape({1027, 300}), Shape({70000, 2}),
                             Shape({3001, 10}), Shape({1000, 33})}) {
    const Tensor x = Coarse(shape);
    for (int axis : {0, 1}) {
      const Result<std::vector<Tensor>> y = runner.Run("ArgMax", {}, {x, Tensor::Scalar<int32_t>(axis)});
      ASSERT_TRUE(y.ok()) << y.status().ToString();
      const int64_t columns = shape.dim(1);
      for (int64_t i = 0; i < shape.dim(1 - axis); ++i) {
        const int64_t expected = axis == 0 ? FirstLargest(x.data<float>() + i, shape.dim(0), columns)
                                           : FirstLargest(x.data<float>() + i * columns, columns, 1);
        ASSERT_EQ((*y)[0].data<int64_t>()[i], expected) << shape << " axis " << axis << " " << i;
      }
    }
  }
}

}  // namespace
}  // namespace dfrun
