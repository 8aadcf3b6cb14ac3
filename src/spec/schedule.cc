#include "src/spec/schedule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace dfrun {
namespace {

double Unwarmed(const ScheduleSpec& s, int64_t step) {
  const double progress = static_cast<double>(step) / static_cast<double>(s.steps);
  switch (s.kind) {
    case ScheduleSpec::Kind::kConstant:
      return s.initial;
    case ScheduleSpec::Kind::kPiecewise: {
      auto after = std::upper_bound(s.boundaries.begin(), s.boundaries.end(), step);
      return s.values[static_cast<size_t>(after - s.boundaries.begin())];
    }
    case ScheduleSpec::Kind::kStep: {
      const int64_t stairs = step / s.steps;
      return s.initial * std::pow(s.factor, static_cast<double>(stairs));
    }
    case ScheduleSpec::Kind::kExponential:
      return s.initial * std::pow(s.factor, progress);
    case ScheduleSpec::Kind::kCosine:
      return s.final + (s.initial - s.final) * 0.5 * (1 + std::cos(std::numbers::pi * std::min(progress, 1.0)));
  }
  return s.initial;
}

}  // namespace

double LearningRateAt(const ScheduleSpec& schedule, int64_t step) {
  const double rate = Unwarmed(schedule, step);
  if (step >= schedule.warmup) return rate;
  return rate * static_cast<double>(step + 1) / static_cast<double>(schedule.warmup);
}

}  // namespace dfrun
