#include "src/costs/fit_speed.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace dfrun {
namespace {

// Logarithms of overhead, 1 / rate and 1 / bandwidth.
using Logs = std::array<double, 3>;

constexpr double kMinOverhead = 1e-10;  // seconds: a positive number that is no time
constexpr double kMinPart = 0.01;       // part of a time: what takes less is not seen
constexpr double kFirstStep = 1.4;      // a factor of 4
constexpr double kLastStep = 1e-4;

NodeSpeed SpeedAt(const Logs& at) {
  return {std::exp(at[0]), std::exp(-at[1]), std::exp(-at[2])};
}

double MeanLogError(std::span<const CostPoint> points, const Logs& at) {
  const NodeSpeed speed = SpeedAt(at);
  double sum = 0;
  for (const CostPoint& point : points) sum += std::abs(std::log(SecondsAt(speed, point) / point.seconds));
  return sum / static_cast<double>(points.size());
}

// The neighbour of this number, 0 to 26, at a distance in each direction or none.
Logs Neighbour(const Logs& at, int number, double step) {
  Logs to = at;
  for (double& x : to) {
    x += step * (number % 3 - 1);
    number /= 3;
  }
  to[0] = std::max(to[0], std::log(kMinOverhead));
  return to;
}

struct Searched {
  Logs at;
  double error = 0;
};

Searched Search(std::span<const CostPoint> points, const Logs& start) {
  Searched best{start, MeanLogError(points, start)};
  for (double step = kFirstStep; step > kLastStep;) {
    Searched next = best;
    for (int number = 0; number < 27; ++number) {
      const Logs to = Neighbour(best.at, number, step);
      const double error = MeanLogError(points, to);
      if (error < next.error) next = {to, error};
    }
    if (next.error < best.error - 1e-12) {
      best = next;
    } else {
      step /= 2;
    }
  }
  return best;
}

// The value that this fraction of them is not above; `none` where there is none.
double Quantile(std::vector<double> values, double fraction, double none) {
  if (values.empty()) return none;
  const ptrdiff_t at = std::lround(fraction * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + at, values.end());
  return values[static_cast<size_t>(at)];
}

// Starts of the search: short and middling overheads, with high and middling speeds.
std::vector<Logs> Starts(std::span<const CostPoint> points, const NodeSpeed& assumed) {
  std::vector<double> seconds;
  std::vector<double> rates;
  std::vector<double> bandwidths;
  for (const CostPoint& point : points) {
    seconds.push_back(point.seconds);
    if (point.flops > 0) rates.push_back(point.flops / point.seconds);
    if (point.bytes > 0) bandwidths.push_back(point.bytes / point.seconds);
  }
  std::vector<Logs> starts;
  for (const double of_overhead : {0.05, 0.3}) {
    for (const double of_rate : {0.5, 0.95}) {
      for (const double of_bandwidth : {0.5, 0.95}) {
        starts.push_back({std::log(Quantile(seconds, of_overhead, assumed.overhead_s)),
                          -std::log(Quantile(rates, of_rate, assumed.flops_per_s)),
                          -std::log(Quantile(bandwidths, of_bandwidth, assumed.bytes_per_s))});
      }
    }
  }
  return starts;
}

// Bounds what the points do not show, as the header says.
void BoundUnseen(std::span<const CostPoint> points, const NodeSpeed& assumed, NodeSpeed& speed) {
  double largest_rate = 0;
  double largest_bandwidth = 0;
  double least_rate = 0;
  double least_bandwidth = 0;
  bool by_flops = false;
  bool by_bytes = false;
  for (const CostPoint& point : points) {
    largest_rate = std::max(largest_rate, point.flops / point.seconds);
    largest_bandwidth = std::max(largest_bandwidth, point.bytes / point.seconds);
    const double term_s = std::max(point.flops / speed.flops_per_s, point.bytes / speed.bytes_per_s);
    if (term_s <= 0) continue;
    by_flops = by_flops || point.flops / speed.flops_per_s >= term_s;
    by_bytes = by_bytes || point.bytes / speed.bytes_per_s >= term_s;
    least_rate = std::max(least_rate, point.flops / term_s);
    least_bandwidth = std::max(least_bandwidth, point.bytes / term_s);
  }
  if (!by_flops) speed.flops_per_s = least_rate > 0 ? least_rate : assumed.flops_per_s;
  if (!by_bytes) speed.bytes_per_s = least_bandwidth > 0 ? least_bandwidth : assumed.bytes_per_s;
  speed.flops_per_s = std::min(speed.flops_per_s, std::max(assumed.flops_per_s, largest_rate / kMinPart));
  speed.bytes_per_s = std::min(speed.bytes_per_s, std::max(assumed.bytes_per_s, largest_bandwidth / kMinPart));
  // Points that all take far longer do not tell the overhead.
  const double shortest_s = std::min_element(points.begin(), points.end(), [](const CostPoint& a, const CostPoint& b) {
                              return a.seconds < b.seconds;
                            })->seconds;
  if (speed.overhead_s < kMinPart * shortest_s) {
    speed.overhead_s = std::max(speed.overhead_s, std::min(assumed.overhead_s, kMinPart * shortest_s));
  }
}

}  // namespace

double SecondsAt(const NodeSpeed& speed, const CostPoint& point) {
  return speed.overhead_s + std::max(point.flops / speed.flops_per_s, point.bytes / speed.bytes_per_s);
}

SpeedFit FitSpeed(std::span<const CostPoint> points, const NodeSpeed& assumed) {
  std::vector<CostPoint> usable;
  for (const CostPoint& point : points) {
    if (std::isfinite(point.seconds) && point.seconds > 0) usable.push_back(point);
  }
  if (usable.empty()) return {assumed, 0};
  Searched best{{}, std::numeric_limits<double>::infinity()};
  for (const Logs& start : Starts(usable, assumed)) {
    const Searched found = Search(usable, start);
    if (found.error < best.error) best = found;
  }
  SpeedFit fit{SpeedAt(best.at), 0};
  BoundUnseen(usable, assumed, fit.speed);
  std::vector<double> errors;
  errors.reserve(usable.size());
  for (const CostPoint& point : usable) {
    errors.push_back(std::abs(SecondsAt(fit.speed, point) - point.seconds) / point.seconds);
  }
  fit.median_error = Quantile(std::move(errors), 0.5, 0);
  return fit;
}

}  // namespace dfrun
