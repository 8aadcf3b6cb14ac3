// Values that travel as 16 bits, and the statistics about them.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "tests/unit/testing/node_runner.h"

namespace dfrun::testing {
namespace {

class CompressTest : public ::testing::Test {
 protected:
  Tensor Compressed(const Tensor& x) {
    auto outputs = runner_.Run(NodeRunner::Way::kStaticShapes, "_Compress", {}, {x});
    EXPECT_TRUE(outputs.ok()) << outputs.status().ToString();
    return outputs.ok() ? (*outputs)[0] : Tensor();
  }

  // The outputs of _WireStatistics: bytes, bytes on the way, losses, and the sum of magnitudes.
  static std::vector<double> TakenOn(NodeRunner& runner) {
    std::vector<double> taken(4, -1);
    const auto outputs = runner.Run(NodeRunner::Way::kStaticShapes, "_WireStatistics", {}, {});
    EXPECT_TRUE(outputs.ok()) << outputs.status().ToString();
    for (size_t i = 0; outputs.ok() && i < taken.size(); ++i) taken[i] = *(*outputs)[i].data<double>();
    return taken;
  }
  std::vector<double> Taken() { return TakenOn(runner_); }

 private:
  NodeRunner runner_;
};

TEST_F(CompressTest, TheLowerBitsAreCutOff) {
  const float largest = std::numeric_limits<float>::max();
  const Tensor y = Compressed(Tensor::Vector<float>({1.0F, -1.999F, 0.0F, -0.0F, 3.14159F, largest}));
  ASSERT_EQ(y.dtype(), DType::kBfloat16);
  const uint16_t expected[] = {0x3f80, 0xbfff, 0x0000, 0x8000, 0x4049, 0x7f7f};
  for (int i = 0; i < 6; ++i) EXPECT_EQ(y.data<bfloat16>()[i].bits, expected[i]) << i;
}

TEST_F(CompressTest, WhatIsNotFiniteStaysSo) {
  const float infinity = std::numeric_limits<float>::infinity();
  const auto hidden = std::bit_cast<float>(0x7f800001U);  // a NaN by its lowest bit alone
  const Tensor y = Compressed(Tensor::Vector<float>({infinity, -infinity, std::nanf(""), hidden}));
  const auto at = [&](int i) { return static_cast<float>(y.data<bfloat16>()[i]); };
  EXPECT_EQ(at(0), infinity);
  EXPECT_EQ(at(1), -infinity);
  EXPECT_TRUE(std::isnan(at(2)));
  EXPECT_TRUE(std::isnan(at(3)));
}

TEST_F(CompressTest, BytesAndLossAreCounted) {
  EXPECT_EQ(Taken(), std::vector<double>(4, 0));
  constexpr int64_t kCount = 100003;
  std::vector<float> values(kCount, std::bit_cast<float>(0x3f80ffffU));  // 1 + 0xffff / 2^23
  Compressed(Tensor::Vector<float>(values));
  const std::vector<double> counted = Taken();
  EXPECT_EQ(counted[0], 4.0 * kCount);
  EXPECT_EQ(counted[1], 2.0 * kCount);
  EXPECT_NEAR(counted[2] / counted[3], 0x1.fffep-8 / (1 + 0x1.fffep-8), 1e-6);
  EXPECT_EQ(Taken()[0], 0);
}

TEST_F(CompressTest, EachDeviceCountsItsOwn) {
  NodeRunner other;
  Compressed(Tensor::Vector<float>({1, 2, 3}));
  EXPECT_EQ(TakenOn(other)[0], 0);
  EXPECT_EQ(Taken()[0], 12);
}

}  // namespace
}  // namespace dfrun::testing
