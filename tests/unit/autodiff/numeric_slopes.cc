#include "tests/unit/autodiff/numeric_slopes.h"

#include <algorithm>
#include <cmath>

namespace dfrun::testing {
namespace {

constexpr double kRoundings = 8;  // number of roundings in a value

struct Differences {
  double fine, coarse, left, right, noise;
  double drift() const { return std::abs(fine - coarse); }
  double gap() const { return std::abs(right - left); }
};

std::optional<Differences> DifferencesOf(const Stencil& f, size_t i, double h, double epsilon) {
  double largest = 0;
  for (const std::vector<double>& values : f) {
    if (!std::isfinite(values[i])) return std::nullopt;
    largest = std::max(largest, std::abs(values[i]));
  }
  return Differences{(f[3][i] - f[1][i]) / (2 * h), (f[4][i] - f[0][i]) / (4 * h),
                     (3 * f[2][i] - 4 * f[1][i] + f[0][i]) / (2 * h), (4 * f[3][i] - 3 * f[2][i] - f[4][i]) / (2 * h),
                     kRoundings * epsilon * largest / h};
}

// A kink at 0 leaves the central differences alone; a jump, or a kink beside it, does not.
std::optional<SlopeRange> RangeOf(const Differences& d, double most_drift, double largest) {
  if (d.gap() > 4 * d.drift() + 8 * d.noise) {
    if (d.drift() > 0.05 * d.gap()) return std::nullopt;
    const double error = d.drift() + 4 * d.noise;
    return SlopeRange{std::min(d.left, d.right) - error, std::max(d.left, d.right) + error};
  }
  if (d.drift() > most_drift * largest + 4 * d.noise) return std::nullopt;
  const double best = (4 * d.fine - d.coarse) / 3;
  const double error = d.drift() + d.noise;
  return SlopeRange{best - error, best + error};
}

}  // namespace

std::optional<std::vector<SlopeRange>> SlopesOf(const Stencil& f, double h, double epsilon, double most_drift) {
  std::vector<std::optional<Differences>> differences(f[2].size());
  double largest = 1e-6;
  for (size_t i = 0; i < f[2].size(); ++i) {
    if (!std::isfinite(f[2][i])) continue;
    differences[i] = DifferencesOf(f, i, h, epsilon);
    if (!differences[i]) return std::nullopt;
    largest = std::max(largest, std::abs(differences[i]->fine));
  }
  std::vector<SlopeRange> ranges(f[2].size());
  for (size_t i = 0; i < f[2].size(); ++i) {
    if (!differences[i]) continue;
    const std::optional<SlopeRange> range = RangeOf(*differences[i], most_drift, largest);
    if (!range) return std::nullopt;
    ranges[i] = *range;
  }
  return ranges;
}

}  // namespace dfrun::testing
