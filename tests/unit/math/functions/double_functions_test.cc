// The functions of double against the C library's of long double, over all exponents.
#include "kernels/math/functions/double_functions.h"

#include <gtest/gtest.h>

#include <cmath>

namespace dfrun {
namespace {

// The distance of y from `truth` in units of the last place of a double of that size.
double Ulps(double y, long double truth) {
  int exponent = 0;
  std::frexp(truth, &exponent);
  return static_cast<double>(std::abs(y - truth) / std::ldexp(1.0L, std::max(exponent - 53, -1074)));
}

template <class F, class Truth>
void CheckAt(F f, Truth truth, double ulps, double x) {
  const long double exact = truth(static_cast<long double>(x));
  const double y = f(x);
  if (std::isnan(exact)) {
    ASSERT_TRUE(std::isnan(y)) << x;
  } else if (std::isinf(static_cast<double>(exact))) {
    ASSERT_EQ(y, static_cast<double>(exact)) << x;
  } else if (std::abs(exact) < 0x1p-1022L && std::abs(x) > 1) {  // exponentials below the normal numbers are 0
    ASSERT_EQ(y, 0.0) << x;
  } else {
    ASSERT_LE(Ulps(y, exact), ulps) << x;
  }
}

// Checks all exponents, and `count` numbers from `low` to `high`.
template <class F, class Truth>
void Check(F f, Truth truth, double ulps, double low, double high, int count = 300000) {
  constexpr uint64_t kStep = 0x0000a1b2c3d4e5f7;
  uint64_t bits = 0;
  for (int i = 0; i < 102400; ++i, bits += kStep) CheckAt(f, truth, ulps, std::bit_cast<double>(bits));
  for (int i = 0; i <= count; ++i) CheckAt(f, truth, ulps, low + (high - low) * i / count);
}

TEST(DoubleFunctions, Exp) {
  const auto truth = [](long double x) { return std::exp(x); };
  Check(ExpDouble, truth, 1.2, -20, 20);
  Check(ExpDouble, truth, 1.2, -708.39, 709.78);
  EXPECT_EQ(ExpDouble(0.0), 1.0);
  EXPECT_EQ(ExpDouble(709.79), INFINITY);
  EXPECT_EQ(ExpDouble(-708.4), 0.0);
  EXPECT_EQ(ExpDouble(-INFINITY), 0.0);
}

TEST(DoubleFunctions, Log) {
  const auto truth = [](long double x) { return std::log(x); };
  Check(LogDouble, truth, 1.2, 1e-300, 4);
  Check(LogDouble, truth, 1.2, 0.98, 1.02);
  EXPECT_EQ(LogDouble(1.0), 0.0);
  EXPECT_EQ(LogDouble(0.0), -INFINITY);
  EXPECT_EQ(LogDouble(-0.0), -INFINITY);
}

TEST(DoubleFunctions, Tanh) {
  const auto truth = [](long double x) { return std::tanh(x); };
  Check(TanhDouble, truth, 3, -1, 1);
  Check(TanhDouble, truth, 3, -20, 20);
  EXPECT_TRUE(std::signbit(TanhDouble(-0.0)));
  EXPECT_EQ(TanhDouble(INFINITY), 1.0);
}

}  // namespace
}  // namespace dfrun
