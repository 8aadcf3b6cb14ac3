#include "kernels/summary/pr_curve.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// Quotients with less below them are by this, which is TensorBoard's bound.
constexpr double kMinDivisor = 1e-7;

std::vector<bool> TruthsOf(const Tensor& labels) {
  std::vector<bool> truths;
  VisitDType<bool, DF_REAL>(labels.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (const T& label : labels.values<T>()) truths.push_back(static_cast<double>(label) > 0.5);
  });
  return truths;
}

// In float32, or float64 for predictions of it, as NumPy computes it.
template <class T>
int64_t BucketOf(T prediction, int64_t thresholds) {
  using Wide = std::conditional_t<std::is_same_v<T, double>, double, float>;
  const Wide inside = std::clamp<Wide>(static_cast<Wide>(prediction), 0, 1);
  return static_cast<int64_t>(std::floor(inside * static_cast<Wide>(thresholds - 1)));
}

}  // namespace

Result<Tensor> CountPredictions(const Tensor& labels, const Tensor& predictions, int64_t thresholds) {
  if (!(labels.shape() == predictions.shape())) {
    return InvalidArgument("labels of shape ", labels.shape(), " do not fit predictions of shape ",
                           predictions.shape());
  }
  const std::vector<bool> truths = TruthsOf(labels);
  Tensor counts(DType::kDouble, Shape({2, thresholds}));
  auto* const of_true = counts.data<double>();
  auto* const of_false = of_true + thresholds;
  std::fill_n(of_true, 2 * thresholds, 0.0);
  VisitDType<DF_FLOATS>(predictions.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const auto values = predictions.values<T>();
    for (size_t i = 0; i < truths.size(); ++i) {
      if (std::isnan(static_cast<float>(values[i]))) continue;
      double* const of_label = truths[i] ? of_true : of_false;
      of_label[BucketOf<T>(values[i], thresholds)] += 1;
    }
  });
  return counts;
}

Tensor CurveOf(const Tensor& counts) {
  const int64_t thresholds = counts.shape()[1];
  const auto* const of_true = counts.data<double>();
  const auto* const of_false = of_true + thresholds;
  double trues = 0;
  double falses = 0;
  for (int64_t i = 0; i < thresholds; ++i) {
    trues += of_true[i];
    falses += of_false[i];
  }
  Tensor curve(DType::kFloat, Shape({6, thresholds}));
  double true_positives = 0;
  double false_positives = 0;
  for (int64_t i = thresholds - 1; i >= 0; --i) {
    true_positives += of_true[i];
    false_positives += of_false[i];
    const double column[] = {true_positives,
                             false_positives,
                             falses - false_positives,
                             trues - true_positives,
                             true_positives / std::max(kMinDivisor, true_positives + false_positives),
                             true_positives / std::max(kMinDivisor, trues)};
    for (size_t row = 0; row < 6; ++row) {
      curve.data<float>()[static_cast<int64_t>(row) * thresholds + i] = static_cast<float>(column[row]);
    }
  }
  return curve;
}

}  // namespace dfrun
