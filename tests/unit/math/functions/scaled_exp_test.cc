#include "kernels/math/functions/scaled_exp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace dfrun {
namespace {

float One(ScaledExp& exp, float x) {
  alignas(64) float line[kLineFloats];
  std::fill_n(line, kLineFloats, x);
  exp.Line(line, line);
  return line[kLineFloats / 2];
}

// Compares with the C library's function of double, for x near 0 and far from it: exp(x) has an error of 3e-9 * x
// besides its roundings.
TEST(ScaledExp, WithinAFewRoundings) {
  for (float near : {0.0F, -3.0F, 12.5F, 100.0F, -4000.0F, 4096.0F}) {
    ScaledExp exp(near);
    const double n = std::nearbyint(near / std::log(2.0));
    for (int i = 0; i < 11300; ++i) {
      const float x = near - 86 + 0.0137F * static_cast<float>(i);
      const double truth = std::exp(static_cast<double>(x) - n * std::log(2.0));
      ASSERT_NEAR(One(exp, x), truth, truth * (1.1 * 0x1p-23 + 3e-9 * std::abs(x))) << near << ", " << x;
    }
    EXPECT_TRUE(exp.Holds()) << near;
  }
}

// Every quotient is the same, to the bit, whatever the results are near to.
TEST(ScaledExp, ScalesByPowersOfTwo) {
  ScaledExp first(0);
  ScaledExp second(31.7F);
  const float factor = One(first, 1) / One(second, 1);
  int exponent = 0;
  EXPECT_EQ(std::frexp(factor, &exponent), 0.5F);
  for (int i = 0; i < 8000; ++i) {
    const float x = -50 + 0.0137F * static_cast<float>(i);
    ASSERT_EQ(One(first, x), factor * One(second, x)) << x;
  }
}

TEST(ScaledExp, OfWhatIsNoNormalNumber) {
  ScaledExp exp(0);
  for (float x : {-INFINITY, -1e30F, -5000.0F, -88.0F}) EXPECT_EQ(One(exp, x), 0.0F) << x;
  EXPECT_TRUE(exp.Holds());
  EXPECT_TRUE(std::isnan(One(exp, NAN)));
}

TEST(ScaledExp, SaysWhatItCannotHold) {
  for (float x : {71.0F, 1e4F, 1e30F, INFINITY}) {
    ScaledExp exp(0);
    One(exp, x);
    EXPECT_FALSE(exp.Holds()) << x;
  }
  for (float near : {-INFINITY, -5000.0F, 4097.0F, INFINITY, NAN}) EXPECT_FALSE(ScaledExp(near).Holds()) << near;
}

}  // namespace
}  // namespace dfrun
