#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/runs/axis.h"
#include "src/runs/svg_plot.h"

namespace dfrun {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<std::string> Labels(const Axis& axis, int count = 5) {
  std::vector<std::string> labels;
  for (const AxisTick& tick : axis.Ticks(count)) labels.push_back(tick.label);
  return labels;
}

TEST(AxisTest, TicksAreRoundNumbersWithinTheRange) {
  EXPECT_THAT(Labels(Axis(0, 1, false)), ElementsAre("0", "0.2", "0.4", "0.6", "0.8", "1"));
  EXPECT_THAT(Labels(Axis(10, 800, false)), ElementsAre("200", "400", "600", "800"));
  EXPECT_THAT(Labels(Axis(-0.31, 0.12, false)), ElementsAre("-0.3", "-0.2", "-0.1", "0", "0.1"));
  EXPECT_THAT(Labels(Axis(1e-9, 3e-9, false)), ElementsAre("1e-09", "1.5e-09", "2e-09", "2.5e-09", "3e-09"));
}

TEST(AxisTest, LogarithmicTicksArePowersOfTen) {
  EXPECT_THAT(Labels(Axis(0.001, 10, true)), ElementsAre("0.001", "0.01", "0.1", "1", "10"));
  EXPECT_THAT(Labels(Axis(0.5, 20, true)), ElementsAre("0.5", "1", "2", "5", "10", "20"));
  EXPECT_THAT(Labels(Axis(1e-300, 1e300, true)).size(), ::testing::Le(7U));
}

TEST(AxisTest, PositionsAreShares) {
  EXPECT_DOUBLE_EQ(Axis(10, 20, false).PositionOf(12.5), 0.25);
  EXPECT_DOUBLE_EQ(Axis(1, 100, true).PositionOf(10), 0.5);
  EXPECT_DOUBLE_EQ(Axis(3, 3, false).PositionOf(3), 0.5);
  EXPECT_DOUBLE_EQ(Axis(0, 0, false).PositionOf(0), 0.5);
  EXPECT_DOUBLE_EQ(Axis(3, 3, true).PositionOf(3), 0.5);
  constexpr double kMax = std::numeric_limits<double>::max();
  EXPECT_DOUBLE_EQ(Axis(-kMax, kMax, false).PositionOf(0), 0.5);
}

TEST(AxisTest, AnyRangeHasFewTicks) {
  constexpr double kMax = std::numeric_limits<double>::max();
  constexpr double kMin = std::numeric_limits<double>::denorm_min();
  for (const auto& [least, most] : std::vector<std::pair<double, double>>{
           {-kMax, kMax}, {0, kMin}, {1, std::nextafter(1, 2)}, {1e15, 1e15 + 1}, {kMin, kMax}}) {
    EXPECT_LE(Axis(least, most, false).Ticks(5).size(), 12U) << least << " " << most;
    if (least <= 0) continue;
    EXPECT_LE(Axis(least, most, true).Ticks(5).size(), 12U) << least << " " << most;
  }
}

TEST(ThinOutTest, ExtremesEndsAndGapsStay) {
  Curve curve;
  for (int i = 0; i < 100000; ++i) curve.push_back({i, std::sin(i * 0.001)});
  curve[31415].value = 50;
  curve[2718].value = -50;
  curve[5000].value = std::numeric_limits<double>::quiet_NaN();
  const Curve thin = ThinOut(curve, 2000);
  EXPECT_LE(thin.size(), 2010U);
  EXPECT_EQ(thin.front().step, 0);
  EXPECT_EQ(thin.back().step, 99999);
  EXPECT_TRUE(std::is_sorted(thin.begin(), thin.end(), [](auto& a, auto& b) { return a.step < b.step; }));
  int peaks = 0;
  for (const CurvePoint& point : thin) {
    peaks += std::abs(point.value) == 50 || std::isnan(point.value);
    EXPECT_TRUE(std::isnan(point.value) || point.value == curve[static_cast<size_t>(point.step)].value);
  }
  EXPECT_EQ(peaks, 3);
  const Curve few(curve.begin(), curve.begin() + 2000);
  EXPECT_EQ(ThinOut(few, 2000).size(), 2000U);
}

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(SvgPlotTest, NamesAreEscaped) {
  const std::string name = "a<b>&\"\x01\xff";
  const std::string svg = DrawSvg({{name, {{name, {{1, 1}, {2, 3}}}}}}, {name}, false);
  EXPECT_THAT(svg, HasSubstr("a&lt;b&gt;&amp;&quot;\\x01\\xff"));
  EXPECT_THAT(svg, Not(HasSubstr("a<b")));
  EXPECT_EQ(XmlText("plain"), "plain");
}

TEST(SvgPlotTest, AValueThatCannotBeDrawnIsAGap) {
  const Curve curve = {{1, 1}, {2, 2}, {3, NAN}, {4, -1}, {5, INFINITY}, {6, 3}, {7, 4}};
  const std::string linear = DrawSvg({{"r", {{"m", curve}}}}, {"m"}, false);
  EXPECT_EQ(Count(linear, "<path"), 1U);
  EXPECT_EQ(Count(linear, "M"), 2U);
  EXPECT_EQ(Count(linear, "<circle"), 1U);  // step 4 stands alone
  const std::string log = DrawSvg({{"r", {{"m", curve}}}}, {"m"}, true);
  EXPECT_EQ(Count(log, "<circle"), 0U);
  EXPECT_EQ(Count(log, "M"), 2U);
  EXPECT_THAT(DrawSvg({{"r", {{"m", {{1, -1}}}}}}, {"m"}, true), HasSubstr("no points"));
}

TEST(SvgPlotTest, EachRunHasOneColour) {
  std::vector<PlottedRun> runs;
  for (int i = 0; i < 30; ++i)
    runs.push_back({StrCat("r", i), {{"m", {{1, 1}, {2, 1.0 * i}}}, {"n", {{1, 1}, {2, 2}}}}});
  const std::string svg = DrawSvg(runs, {"m", "n"}, false);
  std::set<std::string> colours;
  for (size_t at = svg.find("<path"); at != std::string::npos; at = svg.find("<path", at + 1)) {
    const size_t stroke = svg.find("stroke=\"", at) + 8;
    colours.insert(svg.substr(stroke, svg.find('"', stroke) - stroke));
  }
  EXPECT_EQ(Count(svg, "<path"), 60U);
  EXPECT_EQ(colours.size(), 30U);
}

}  // namespace
}  // namespace dfrun
