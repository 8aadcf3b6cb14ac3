// The functions of float against the C library's of double, over all exponents.
#include <gtest/gtest.h>

#include <cmath>

#include "kernels/math/functions/inverse_functions.h"
#include "kernels/math/functions/line_functions.h"

namespace dfrun {
namespace {

// The distance of y from `truth` in units of the last place of a float of that size.
double Ulps(float y, double truth) {
  int exponent = 0;
  std::frexp(truth, &exponent);
  return std::abs(y - truth) / std::ldexp(1.0, std::max(exponent - 24, -149));
}

// `flushed`: results below the normal numbers are 0.
template <class F, class Truth>
void CheckEverywhere(F f, Truth truth, double ulps, bool flushed = false) {
  for (uint64_t bits = 0; bits < 0x100000000ULL; bits += 4001) {
    const auto x = std::bit_cast<float>(static_cast<uint32_t>(bits));
    const double exact = truth(static_cast<double>(x));
    const float y = f(x);
    if (std::isnan(exact)) {
      ASSERT_TRUE(std::isnan(y)) << x;
    } else if (std::isinf(static_cast<float>(exact))) {
      ASSERT_GE(std::copysign(1.0, exact) * y, 0x1.fffffcp127) << x;
    } else if (flushed && std::abs(exact) < 0x1p-126) {
      ASSERT_EQ(y, 0.0F) << x;
    } else {
      ASSERT_LE(Ulps(y, exact), ulps) << x;
    }
  }
}

TEST(FloatFunctions, Exp) {
  CheckEverywhere(
      ExpFloat, [](double x) { return std::exp(x); }, 0.9, true);
  EXPECT_EQ(ExpFloat(0.0F), 1.0F);
  EXPECT_EQ(ExpFloat(-INFINITY), 0.0F);
}

TEST(FloatFunctions, ExpAtTheEndsOfTheNormalNumbers) {
  for (float x : {88.72283F, 88.5F, 88.376F, -87.33654F, -87.0F, -86.99F}) {
    EXPECT_LE(Ulps(ExpFloat(x), std::exp(static_cast<double>(x))), 0.9) << x;
    EXPECT_LE(Ulps(ExpOfNegative(-std::abs(x)), ExpFloat(-std::abs(x))), 1) << x;
  }
  EXPECT_EQ(ExpFloat(88.72284F), INFINITY);
  EXPECT_EQ(ExpFloat(-87.33655F), 0.0F);
  EXPECT_EQ(ExpOfNegative(-87.33655F), 0.0F);
  EXPECT_EQ(ExpOfNegative(-INFINITY), 0.0F);
  for (uint32_t bits : {0x7f800001U, 0x7fc00001U, 0xffffffffU}) {  // NaNs of any payload
    EXPECT_TRUE(std::isnan(ExpFloat(std::bit_cast<float>(bits)))) << bits;
    EXPECT_TRUE(std::isnan(ExpOfNegative(std::bit_cast<float>(bits)))) << bits;
  }
}

#ifdef DFRUN_LINE_TABLES
// A function of lines at one element, at any index of a line.
template <void (*kLine)(const float*, float*)>
float InLine(float x) {
  static int place = 0;
  alignas(64) float line[kLineFloats] = {};
  place = (place + 1) % kLineFloats;
  line[place] = x;
  kLine(line, line);
  return line[place];
}

TEST(FloatFunctions, LinesByTables) {
  CheckEverywhere(
      InLine<ExpLine>, [](double x) { return std::exp(x); }, 1.1, true);
  for (float x : {88.72283F, 88.5F, 88.03F, 88.0F, -87.33654F, -87.0F, -86.99F, 0.01F, -0.5F}) {
    EXPECT_LE(Ulps(InLine<ExpLine>(x), std::exp(static_cast<double>(x))), 1.1) << x;
  }
  EXPECT_EQ(InLine<ExpLine>(0.0F), 1.0F);
  EXPECT_EQ(InLine<ExpLine>(88.72284F), INFINITY);
  EXPECT_EQ(InLine<ExpLine>(-87.33655F), 0.0F);
  CheckEverywhere(
      InLine<TanhLine>, [](double x) { return std::tanh(x); }, 2.7);
  for (int i = 0; i < 14000; ++i) {
    const float x = 0.00073F * static_cast<float>(i);
    EXPECT_LE(Ulps(InLine<TanhLine>(x), std::tanh(static_cast<double>(x))), 2.7) << x;
  }
  EXPECT_TRUE(std::signbit(InLine<TanhLine>(-0.0F)));
  EXPECT_EQ(InLine<TanhLine>(INFINITY), 1.0F);
  EXPECT_EQ(InLine<TanhLine>(-INFINITY), -1.0F);
}
#endif

TEST(FloatFunctions, Log) {
  CheckEverywhere(
      LogFloat, [](double x) { return std::log(x); }, 1.1);
  EXPECT_EQ(LogFloat(1.0F), 0.0F);
  EXPECT_EQ(LogFloat(0.0F), -INFINITY);
}

TEST(FloatFunctions, Tanh) {
  CheckEverywhere(
      TanhFloat, [](double x) { return std::tanh(x); }, 2.5);
  EXPECT_TRUE(std::signbit(TanhFloat(-0.0F)));
  EXPECT_EQ(TanhFloat(INFINITY), 1.0F);
}

TEST(FloatFunctions, Sigmoid) {
  CheckEverywhere(
      SigmoidFloat, [](double x) { return 1 / (1 + std::exp(-x)); }, 2.5, true);
  EXPECT_EQ(SigmoidFloat(0.0F), 0.5F);
}

TEST(FloatFunctions, Expm1) {
  CheckEverywhere(
      Expm1Float, [](double x) { return std::expm1(x); }, 1.6);
  EXPECT_TRUE(std::signbit(Expm1Float(-0.0F)));
  EXPECT_EQ(Expm1Float(-INFINITY), -1.0F);
  EXPECT_EQ(Expm1Float(INFINITY), INFINITY);
}

TEST(FloatFunctions, Log1p) {
  CheckEverywhere(
      Log1pFloat, [](double x) { return std::log1p(x); }, 1.8);
  EXPECT_TRUE(std::signbit(Log1pFloat(-0.0F)));
  EXPECT_EQ(Log1pFloat(-1.0F), -INFINITY);
  EXPECT_EQ(Log1pFloat(INFINITY), INFINITY);
}

TEST(FloatFunctions, Erf) {
  CheckEverywhere(
      ErfFloat, [](double x) { return std::erf(x); }, 1.1);
  EXPECT_TRUE(std::signbit(ErfFloat(-0.0F)));
  EXPECT_EQ(ErfFloat(-INFINITY), -1.0F);
}

// Some results near the least normal number are 0.
TEST(FloatFunctions, Erfc) {
  CheckEverywhere([](float x) { return x > 9.18F ? 0.0F : ErfcFloat(x); },
                  [](double x) { return x > 9.18 ? 0.0 : std::erfc(x); }, 4, true);
  for (int i = 0; i < 13000; ++i) {
    const float x = 0.00098F * static_cast<float>(i) - 4.0F;
    if (x > 9.18F) break;
    EXPECT_LE(Ulps(ErfcFloat(x), std::erfc(static_cast<double>(x))), 4) << x;
  }
  EXPECT_EQ(ErfcFloat(0.0F), 1.0F);
  EXPECT_EQ(ErfcFloat(-INFINITY), 2.0F);
  EXPECT_EQ(ErfcFloat(INFINITY), 0.0F);
  EXPECT_TRUE(std::isnan(ErfcFloat(NAN)));
}

TEST(FloatFunctions, InverseTrigonometry) {
  CheckEverywhere(
      AtanFloat, [](double x) { return std::atan(x); }, 2.5);
  CheckEverywhere(
      AsinFloat, [](double x) { return std::asin(x); }, 2.5);
  CheckEverywhere(
      AcosFloat, [](double x) { return std::acos(x); }, 2.5);
  for (int i = -12000; i < 12000; ++i) {
    const float x = static_cast<float>(i) / 12000;
    const double exact = x;
    EXPECT_LE(Ulps(AtanFloat(3 * x), std::atan(static_cast<double>(3 * x))), 2.5) << x;
    EXPECT_LE(Ulps(AsinFloat(x), std::asin(exact)), 2.5) << x;
    EXPECT_LE(Ulps(AcosFloat(x), std::acos(exact)), 2.5) << x;
  }
  EXPECT_EQ(AcosFloat(1.0F), 0.0F);
  for (float zero : {0.0F, -0.0F}) {
    EXPECT_EQ(std::signbit(AtanFloat(zero)), std::signbit(zero));
    EXPECT_EQ(std::signbit(AsinFloat(zero)), std::signbit(zero));
  }
  EXPECT_EQ(AtanFloat(INFINITY), static_cast<float>(std::atan(INFINITY)));
}

TEST(FloatFunctions, Atan2) {
  const float special[] = {0.0F, -0.0F, 1.0F, -1.0F, 0.3F, -7.5F, 1e-30F, 3e38F, -3e38F, INFINITY, -INFINITY, NAN};
  for (float y : special) {
    for (float x : special) {
      const double exact = std::atan2(static_cast<double>(y), static_cast<double>(x));
      const float angle = Atan2Float(y, x);
      EXPECT_EQ(std::isnan(angle), std::isnan(exact)) << y << ' ' << x;
      if (std::isnan(exact)) continue;
      EXPECT_EQ(std::signbit(angle), std::signbit(exact)) << y << ' ' << x;
      if (std::abs(exact) < 0x1p-126) {
        EXPECT_LE(std::abs(angle), 0x1p-126) << y << ' ' << x;
      } else {
        EXPECT_LE(Ulps(angle, exact), 3) << y << ' ' << x;
      }
    }
  }
  for (int i = 0; i < 20000; ++i) {
    const auto y = static_cast<float>(std::sin(i) * std::exp(3 * std::sin(0.7 * i)));
    const auto x = static_cast<float>(std::cos(1.3 * i));
    EXPECT_LE(Ulps(Atan2Float(y, x), std::atan2(static_cast<double>(y), static_cast<double>(x))), 3) << y << ' ' << x;
  }
}

TEST(FloatFunctions, SinAndCosOfAnglesThatAreNotFar) {
  const auto sine = [](float x) { return IsFarAngle(x) ? std::sin(x) : SinOfQuarters(x, 0); };
  const auto cosine = [](float x) { return IsFarAngle(x) ? std::cos(x) : SinOfQuarters(x, 1); };
  CheckEverywhere(
      sine, [](double x) { return std::sin(x); }, 1.6);
  CheckEverywhere(
      cosine, [](double x) { return std::cos(x); }, 1.6);
  EXPECT_TRUE(std::signbit(sine(-0.0F)));
  EXPECT_EQ(cosine(0.0F), 1.0F);
}

}  // namespace
}  // namespace dfrun
