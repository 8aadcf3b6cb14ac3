#include "src/job/run_evaluation.h"

#include <utility>

#include "src/framework/values/element_types.h"
#include "src/job/job_observer.h"

namespace dfrun {
namespace {

// The value as a scalar of dtype `like`, if that is a floating one.
Tensor ScalarLike(double value, DType like) {
  Tensor scalar = Tensor::Scalar(value);
  VisitDType<float, float16, bfloat16>(like, [&](auto tag) {
    using T = typename decltype(tag)::type;
    scalar = Tensor::Scalar(static_cast<T>(static_cast<float>(value)));
  });
  return scalar;
}

Status CheckAdded(const std::string& name, const Tensor& value) {
  if (value.num_elements() == 1 && VisitDType<bool, DF_REAL>(value.dtype(), [](auto) {})) return Status();
  return InvalidArgument("the metric '", name, "' is ", value.dtype(), value.shape(),
                         ": what is averaged over the batches of an evaluation is a number");
}

// Sums over the steps of a pass.
class MetricSums {
 public:
  explicit MetricSums(const EvaluationPass& pass) : pass_(pass), sums_(pass.batch.names.size()) {}

  Status Add(int64_t samples, std::span<const Tensor> values) {
    samples_ += samples;
    last_.assign(values.begin(), values.end());
    for (const PassMetric& metric : pass_.metrics) {
      if (metric.over) {
        DF_TRY(AddValue(metric.name, metric.value, 1));
        DF_TRY(AddValue(metric.name, *metric.over, 1));
      } else if (pass_.samples > 0) {
        DF_TRY(AddValue(metric.name, metric.value, static_cast<double>(samples)));
      }
    }
    return Status();
  }

  std::vector<Tensor> Metrics() const {
    std::vector<Tensor> metrics;
    for (const PassMetric& metric : pass_.metrics) metrics.push_back(Metric(metric));
    return metrics;
  }

 private:
  Status AddValue(const std::string& name, size_t fetch, double weight) {
    DF_TRY(CheckAdded(name, last_[fetch]));
    sums_[fetch] += ToDouble(last_[fetch]) * weight;
    return Status();
  }

  Tensor Metric(const PassMetric& metric) const {
    const Tensor& last = last_[metric.value];
    if (metric.over) return ScalarLike(sums_[metric.value] / sums_[*metric.over], last.dtype());
    if (pass_.samples == 0) return last;
    return ScalarLike(sums_[metric.value] / static_cast<double>(samples_), last.dtype());
  }

  const EvaluationPass& pass_;
  std::vector<double> sums_;  // by fetch
  std::vector<Tensor> last_;  // the fetches of the step that ended last
  int64_t samples_ = 0;
};

}  // namespace

Result<std::vector<Tensor>> RunEvaluation(const EvaluationPass& pass, const PassSteps& steps) {
  MetricSums sums(pass);
  DF_TRY(RunPass(pass, steps, [&](const JobStep&, int64_t samples, std::span<const Tensor> values) {
    return sums.Add(samples, values);
  }));
  return sums.Metrics();
}

std::vector<std::string> MetricNames(const EvaluationPass& pass) {
  std::vector<std::string> names;
  for (const PassMetric& metric : pass.metrics) names.push_back(metric.name);
  return names;
}

}  // namespace dfrun
