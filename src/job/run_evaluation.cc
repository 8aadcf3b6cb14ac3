#include "src/job/run_evaluation.h"

#include <utility>

#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// Sums of metrics over several steps, weighted by samples.
class MetricSums {
 public:
  explicit MetricSums(size_t metrics) : sums_(metrics) {}

  void Add(std::span<const Tensor> metrics, int64_t samples) {
    samples_ += samples;
    for (size_t i = 0; i < metrics.size(); ++i) {
      VisitDType<bool, DF_REAL>(metrics[i].dtype(), [&](auto tag) {
        using T = typename decltype(tag)::type;
        sums_[i] += static_cast<double>(metrics[i].scalar<T>()) * static_cast<double>(samples);
      });
    }
  }

  // Returns the mean as a scalar of dtype `like`.
  Tensor Mean(size_t metric, DType like) const {
    const double mean = sums_[metric] / static_cast<double>(samples_);
    Tensor value = Tensor::Scalar(mean);
    VisitDType<float, float16, bfloat16>(like, [&](auto tag) {
      using T = typename decltype(tag)::type;
      value = Tensor::Scalar(static_cast<T>(static_cast<float>(mean)));
    });
    return value;
  }

 private:
  std::vector<double> sums_;
  int64_t samples_ = 0;
};

Status CheckAveraged(const JobStep& step, std::span<const Tensor> metrics) {
  for (size_t i = 0; i < metrics.size(); ++i) {
    if (metrics[i].num_elements() == 1 && VisitDType<bool, DF_REAL>(metrics[i].dtype(), [](auto) {})) continue;
    return InvalidArgument("the metric '", step.names[i], "' is ", metrics[i].dtype(), metrics[i].shape(),
                           ": what is averaged over the batches of an evaluation is a number");
  }
  return Status();
}

}  // namespace

Result<std::vector<Tensor>> RunEvaluation(const EvaluationPass& pass, const PassSteps& steps) {
  std::vector<Tensor> metrics(pass.batch.names.size());  // metrics of the step that ended last
  MetricSums sums(metrics.size());
  DF_TRY(RunPass(pass, steps, [&](const JobStep& step, int64_t samples, std::span<const Tensor> values) -> Status {
    metrics.assign(values.begin(), values.end());
    if (pass.samples == 0) return Status();
    DF_TRY(CheckAveraged(step, values));
    sums.Add(values, samples);
    return Status();
  }));
  if (pass.samples == 0) return metrics;
  for (size_t i = 0; i < metrics.size(); ++i) metrics[i] = sums.Mean(i, metrics[i].dtype());
  return metrics;
}

}  // namespace dfrun
