#include "src/job/run_evaluation.h"

#include <algorithm>
#include <deque>
#include <utility>

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

// One call of RunEvaluation().
class Pass {
 public:
  Pass(const EvaluationPass& pass, const EvaluationSteps& steps)
      : pass_(pass), steps_(steps), metrics_(pass.batch.names.size()), sums_(metrics_.size()) {}

  Result<std::vector<Tensor>> Run() {
    if (pass_.samples == 0) {
      DF_TRY(Start(pass_.batch, {}, 0));
      DF_TRY(TakeFirst());
      return std::move(metrics_);
    }
    for (int64_t position = 0; position < pass_.samples;) {
      const int64_t samples = std::min(pass_.batch_samples, pass_.samples - position);
      const Tensor feeds[] = {Tensor::Scalar<int64_t>(position)};
      const bool is_rest = samples < pass_.batch_samples;
      // A session keeps the order of steps of one signature alone, and the last batch may have one of its own.
      const size_t most = is_rest ? 0 : static_cast<size_t>(steps_.in_flight) - 1;
      while (started_.size() > most) DF_TRY(SumFirst());
      DF_TRY(Start(is_rest ? *pass_.rest : pass_.batch, feeds, samples));
      position += samples;
    }
    while (!started_.empty()) DF_TRY(SumFirst());
    for (size_t i = 0; i < metrics_.size(); ++i) metrics_[i] = sums_.Mean(i, metrics_[i].dtype());
    return std::move(metrics_);
  }

 private:
  struct Started {
    const JobStep& step;
    int64_t samples;
    std::unique_ptr<PendingStep> pending;
  };

  Status Start(const JobStep& step, std::span<const Tensor> feeds, int64_t samples) {
    DF_ASSIGN(std::unique_ptr<PendingStep> pending, steps_.start(step, feeds));
    started_.push_back({step, samples, std::move(pending)});
    return Status();
  }
  // Waits for the step that began first.
  Status TakeFirst() {
    DF_TRY(started_.front().pending->Wait(metrics_));
    started_.pop_front();
    return steps_.ended ? steps_.ended() : Status();
  }
  Status SumFirst() {
    const JobStep& step = started_.front().step;
    const int64_t samples = started_.front().samples;
    DF_TRY(TakeFirst());
    DF_TRY(CheckAveraged(step, metrics_));
    sums_.Add(metrics_, samples);
    return Status();
  }

  const EvaluationPass& pass_;
  const EvaluationSteps& steps_;
  std::vector<Tensor> metrics_;  // of the step that has ended last
  MetricSums sums_;
  std::deque<Started> started_;
};

}  // namespace

Result<std::vector<Tensor>> RunEvaluation(const EvaluationPass& pass, const EvaluationSteps& steps) {
  return Pass(pass, steps).Run();
}

}  // namespace dfrun
