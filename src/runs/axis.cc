#include "src/runs/axis.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace dfrun {
namespace {

std::string LabelOf(double value) {
  char text[32];
  const auto [end, error] = std::to_chars(text, text + sizeof text, value);
  return std::string(text, end);
}

// factor * 10^power, rounded once.
double TimesPower(int64_t factor, int power) {
  const auto number = static_cast<double>(factor);
  return power < 0 ? number / std::pow(10.0, -power) : number * std::pow(10.0, power);
}

// The numbers next to both ends of a range of no length.
double Margin(double value) {
  return value == 0 ? 1 : std::abs(value) / 2;
}

}  // namespace

Axis::Axis(double least, double most, bool is_log) : least_(least), most_(most), is_log_(is_log) {
  if (is_log_) {
    least_ = std::log10(least_);
    most_ = std::log10(most_);
  }
  if (least_ < most_) return;
  const double margin = is_log_ ? 0.5 : Margin(least_);
  least_ -= margin;
  most_ += margin;
}

double Axis::PositionOf(double value) const {
  const double at = is_log_ ? std::log10(value) : value;
  // Halves, since the difference of the largest numbers is none.
  return (at / 2 - least_ / 2) / (most_ / 2 - least_ / 2);
}

std::vector<AxisTick> Axis::Ticks(int count) const {
  if (is_log_) return LogTicks(count);
  const double step = (most_ / count - least_ / count);
  const int power = static_cast<int>(std::floor(std::log10(step)));
  const double lead = step / std::pow(10.0, power);
  const auto lead_of_tick = lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10;
  const double width = TimesPower(lead_of_tick, power);
  std::vector<AxisTick> ticks;
  // Beyond 2^53 widths from 0 neighbours could not be told apart.
  if (std::abs(least_ / width) > 0x1p53 || std::abs(most_ / width) > 0x1p53) return ticks;
  const auto last = static_cast<int64_t>(std::floor(most_ / width));
  for (auto i = static_cast<int64_t>(std::ceil(least_ / width)); i <= last; ++i) {
    const double value = TimesPower(i * lead_of_tick, power);
    ticks.push_back({value, LabelOf(value)});
  }
  return ticks;
}

std::vector<AxisTick> Axis::LogTicks(int count) const {
  const int first = static_cast<int>(std::floor(least_));
  const int last = static_cast<int>(std::ceil(most_));
  const int stride = std::max(1, (last - first) / count);
  const bool has_between = most_ - least_ < 2;
  std::vector<AxisTick> ticks;
  for (int power = first; power <= last; power += stride) {
    for (const int lead : {1, 2, 5}) {
      if (lead > 1 && !has_between) continue;
      const double value = TimesPower(lead, power);
      const double at = std::log10(value);
      if (at >= least_ && at <= most_) ticks.push_back({value, LabelOf(value)});
    }
  }
  return ticks;
}

}  // namespace dfrun
