// _MaxPoolReluGrad gives the bits of MaxPoolGrad and ReluGrad.
#include <gtest/gtest.h>

#include "tests/unit/testing/node_runner.h"
#include "tests/unit/testing/random_tensor.h"

namespace dfrun {
namespace {

using testing::NodeRunner;
using testing::RandomHalves;

template <class T>
void GivesTheBitsOfBoth(int64_t size, int64_t stride, const std::string& padding) {
  NodeRunner runner;
  const AttrMap attrs{{"T", DTypeOf<T>},
                      {"ksize", std::vector<int64_t>{1, size, size, 1}},
                      {"strides", std::vector<int64_t>{1, stride, stride, 1}},
                      {"padding", padding}};
  const Tensor x = RandomHalves<T>(Shape({3, 9, 8, 5}), 1);
  const Result<std::vector<Tensor>> y = runner.Run("MaxPool", attrs, {x});
  ASSERT_TRUE(y.ok()) << y.status().ToString();
  const Tensor dy = RandomHalves<T>((*y)[0].shape(), 2);
  const Result<std::vector<Tensor>> pool = runner.Run("MaxPoolGrad", attrs, {x, (*y)[0], dy});
  ASSERT_TRUE(pool.ok()) << pool.status().ToString();
  const Result<std::vector<Tensor>> expected = runner.Run("ReluGrad", {{"T", DTypeOf<T>}}, {(*pool)[0], x});
  const Result<std::vector<Tensor>> fused = runner.Run("_MaxPoolReluGrad", attrs, {x, (*y)[0], dy});
  ASSERT_TRUE(fused.ok()) << fused.status().ToString();
  EXPECT_TRUE((*fused)[0].Identical((*expected)[0])) << size << " by " << stride << " " << padding;
}

TEST(FusedPool, GivesTheBitsOfBoth) {
  for (const std::string padding : {"SAME", "VALID"}) {
    for (int64_t size : {1, 2, 3}) {
      for (int64_t stride : {1, 2, 3}) {
        GivesTheBitsOfBoth<float>(size, stride, padding);
        GivesTheBitsOfBoth<bfloat16>(size, stride, padding);
        GivesTheBitsOfBoth<double>(size, stride, padding);
      }
    }
  }
}

// float's windows without a common pixel are compared in registers, bfloat16's are not: values that both hold.
TEST(FusedPool, IsTheSameInVectors) {
  NodeRunner runner;
  for (const std::string padding : {"SAME", "VALID"}) {
    for (int64_t channels : {1, 16, 37}) {
      const AttrMap attrs{{"ksize", std::vector<int64_t>{1, 2, 3, 1}},
                          {"strides", std::vector<int64_t>{1, 3, 3, 1}},
                          {"padding", padding}};
      const auto gradient = [&]<class T>(T) {
        const Tensor x = RandomHalves<T>(Shape({2, 7, 8, channels}), 3);
        const Tensor y = (*runner.Run("MaxPool", attrs, {x}))[0];
        return (*runner.Run("_MaxPoolReluGrad", attrs, {x, y, RandomHalves<T>(y.shape(), 4)}))[0];
      };
      const Tensor expected = gradient(bfloat16());
      const Tensor actual = gradient(float());
      for (int64_t i = 0; i < expected.num_elements(); ++i) {
        ASSERT_EQ(actual.data<float>()[i], static_cast<float>(expected.data<bfloat16>()[i])) << padding << channels;
      }
    }
  }
}

}  // namespace
}  // namespace dfrun
