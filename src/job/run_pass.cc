#include "src/job/run_pass.h"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

namespace dfrun {
namespace {

// One call of RunPass().
class PassRun {
 public:
  PassRun(const EvaluationPass& pass, const PassSteps& steps, const TakeValues& take)
      : pass_(pass), steps_(steps), take_(take) {}

  Status Run() {
    if (pass_.samples == 0) {
      DF_TRY(Start(pass_.batch, {}, 0));
      return TakeFirst();
    }
    for (int64_t position = 0; position < pass_.samples;) {
      const int64_t samples = std::min(pass_.batch_samples, pass_.samples - position);
      const Tensor feeds[] = {Tensor::Scalar<int64_t>(position)};
      const bool is_rest = samples < pass_.batch_samples;
      // A session keeps the order of steps of one signature alone, and the last batch may have one of its own.
      const size_t most = is_rest ? 0 : static_cast<size_t>(steps_.in_flight) - 1;
      while (started_.size() > most) DF_TRY(TakeFirst());
      DF_TRY(Start(is_rest ? *pass_.rest : pass_.batch, feeds, samples));
      position += samples;
    }
    while (!started_.empty()) DF_TRY(TakeFirst());
    return Status();
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
    const Started& first = started_.front();
    const JobStep& step = first.step;
    const int64_t samples = first.samples;
    std::vector<Tensor> values(step.signature.fetches.size());
    DF_TRY(first.pending->Wait(values));
    started_.pop_front();
    if (steps_.ended) DF_TRY(steps_.ended());
    return take_(step, samples, values);
  }

  const EvaluationPass& pass_;
  const PassSteps& steps_;
  const TakeValues& take_;
  std::deque<Started> started_;
};

}  // namespace

Status RunPass(const EvaluationPass& pass, const PassSteps& steps, const TakeValues& take) {
  return PassRun(pass, steps, take).Run();
}

}  // namespace dfrun
