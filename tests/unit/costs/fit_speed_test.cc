#include "src/costs/fit_speed.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace dfrun {
namespace {

constexpr NodeSpeed kAssumed = {1e-6, 1e9, 1e9};

// Points of sizes over seven decades: half of them are bound by operations, half by bytes. Each time is off by a factor
// of normal distribution.
std::vector<CostPoint> PointsOf(const NodeSpeed& speed, double noise) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal(0, noise);
  std::vector<CostPoint> points;
  for (double size = 10; size < 1e8; size *= 2) {
    for (const double flops_a_byte : {0.1, 1.0, 100.0, 1000.0}) {
      CostPoint point{size * flops_a_byte, size, 0};
      point.seconds = SecondsAt(speed, point) * std::exp(normal(random));
      points.push_back(point);
    }
  }
  return points;
}

TEST(FitSpeedTest, FindsTheSpeedOfExactPoints) {
  for (const NodeSpeed& speed : {NodeSpeed{2e-7, 5e10, 1e10}, NodeSpeed{1e-5, 2e13, 1e12}}) {
    const SpeedFit fit = FitSpeed(PointsOf(speed, 0), kAssumed);
    EXPECT_NEAR(fit.speed.overhead_s / speed.overhead_s, 1, 0.02);
    EXPECT_NEAR(fit.speed.flops_per_s / speed.flops_per_s, 1, 0.02);
    EXPECT_NEAR(fit.speed.bytes_per_s / speed.bytes_per_s, 1, 0.02);
    EXPECT_LT(fit.median_error, 0.02);
  }
}

// With noise of 10 % and some 30 points on each branch, 10 % is 5 standard errors.
TEST(FitSpeedTest, NoiseAndOutliersMoveItLittle) {
  const NodeSpeed speed = {2e-7, 5e10, 1e10};
  std::vector<CostPoint> points = PointsOf(speed, 0.1);
  for (size_t i = 0; i < points.size(); i += 10) points[i].seconds *= 20;  // another process had the core
  const SpeedFit fit = FitSpeed(points, kAssumed);
  EXPECT_NEAR(fit.speed.overhead_s / speed.overhead_s, 1, 0.1);
  EXPECT_NEAR(fit.speed.flops_per_s / speed.flops_per_s, 1, 0.1);
  EXPECT_NEAR(fit.speed.bytes_per_s / speed.bytes_per_s, 1, 0.1);
  EXPECT_GT(fit.median_error, 0.03);
  EXPECT_LT(fit.median_error, 0.15);
}

TEST(FitSpeedTest, WithoutOperationsTheAssumedRateCounts) {
  std::vector<CostPoint> points = PointsOf({2e-7, 1e30, 1e10}, 0);
  for (CostPoint& point : points) point.flops = 0;
  const SpeedFit fit = FitSpeed(points, kAssumed);
  EXPECT_EQ(fit.speed.flops_per_s, kAssumed.flops_per_s);
  EXPECT_NEAR(fit.speed.bytes_per_s / 1e10, 1, 0.02);
}

// Operations that never take longer than the bytes bound the rate from below.
TEST(FitSpeedTest, ATermThatIsNeverLargerIsBounded) {
  std::vector<CostPoint> points;
  for (double bytes = 1; bytes < 1e8; bytes *= 3) points.push_back({bytes, bytes, 1e-6 + bytes / 1e9});
  const SpeedFit fit = FitSpeed(points, {1e-6, 1e15, 1e15});
  EXPECT_NEAR(std::min(fit.speed.flops_per_s, fit.speed.bytes_per_s) / 1e9, 1, 0.02);
  EXPECT_LT(std::max(fit.speed.flops_per_s, fit.speed.bytes_per_s), 1e10);
}

// Points of one size and time show an overhead, and that the rest is short.
TEST(FitSpeedTest, ASpeedThatIsNotSeenIsBounded) {
  const SpeedFit fit = FitSpeed(std::vector<CostPoint>(3, {1e3, 1e4, 1e-3}), kAssumed);
  EXPECT_NEAR(SecondsAt(fit.speed, {1e3, 1e4, 0}) / 1e-3, 1, 0.02);
  EXPECT_LE(fit.speed.flops_per_s, 1e9);
  EXPECT_LE(fit.speed.bytes_per_s, 1e9);
}

TEST(FitSpeedTest, IsPositiveWhateverThePointsAre) {
  const std::vector<std::vector<CostPoint>> cases = {
      {}, {{0, 0, 1e-6}}, {{1e9, 0, 1e-9}, {1, 0, 1}}, {{1, 1, 0}}, {{1, 1, std::nan("")}, {2, 2, 1e-3}}};
  for (const std::vector<CostPoint>& points : cases) {
    const SpeedFit fit = FitSpeed(points, kAssumed);
    for (const double x : {fit.speed.overhead_s, fit.speed.flops_per_s, fit.speed.bytes_per_s}) {
      EXPECT_TRUE(std::isfinite(x) && x > 0) << x;
    }
  }
  EXPECT_EQ(FitSpeed({}, kAssumed).speed, kAssumed);
}

}  // namespace
}  // namespace dfrun
