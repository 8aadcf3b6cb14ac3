#include "src/job/run_evaluation.h"

#include <algorithm>

#include "src/framework/element_types.h"

namespace dfrun {
namespace {

// Of several steps.
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

  // Of dtype `like`.
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

Result<std::vector<Tensor>> RunEvaluation(const EvaluationPass& pass, const RunEvaluationStep& run) {
  std::vector<Tensor> metrics(pass.batch.names.size());
  if (pass.samples == 0) {
    DF_TRY(run(pass.batch, {}, metrics));
    return metrics;
  }
  MetricSums sums(metrics.size());
  for (int64_t position = 0; position < pass.samples;) {
    const int64_t samples = std::min(pass.batch_samples, pass.samples - position);
    const JobStep& step = samples < pass.batch_samples ? *pass.rest : pass.batch;
    const Tensor feeds[] = {Tensor::Scalar<int64_t>(position)};
    DF_TRY(run(step, feeds, metrics));
    DF_TRY(CheckAveraged(step, metrics));
    sums.Add(metrics, samples);
    position += samples;
  }
  for (size_t i = 0; i < metrics.size(); ++i) metrics[i] = sums.Mean(i, metrics[i].dtype());
  return metrics;
}

}  // namespace dfrun
