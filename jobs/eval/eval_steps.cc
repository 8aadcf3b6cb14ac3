#include "jobs/eval/eval_steps.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <utility>

#include "src/base/json/log_line.h"
#include "src/base/text.h"
#include "src/job/run_evaluation.h"

namespace dfrun::jobs {
namespace {

using Clock = std::chrono::steady_clock;

double MillisecondsBetween(Clock::time_point start, Clock::time_point end) {
  return std::chrono::duration<double, std::milli>(end - start).count();
}

void SayOnStderr(const std::string& text) {
  WriteLine(stderr, LogLevel::kInfo, "dfrun: ", text);
}

StepCounts CountsOf(const StepPlan& plan) {
  if (!plan.pass || plan.is_evaluation) return {.steps = plan.repeat};
  return {.passes = plan.repeat, .steps = plan.pass->num_steps(), .samples = plan.pass->samples};
}

std::vector<FetchRows> RowsOf(const StepPlan& plan) {
  return plan.pass && !plan.is_evaluation ? plan.pass->rows : std::vector<FetchRows>();
}

// The state of one call of RunSteps().
class StepsRun {
 public:
  StepsRun(const StepPlan& plan, const StepHost& host, ArrayStore& store, EvalStats& stats)
      : plan_(plan),
        host_(host),
        stats_(stats),
        feeds_(plan.feeds),
        arrays_(plan.names, RowsOf(plan), CountsOf(plan), store, &SayOnStderr) {
    if (plan.feeds_position()) feeds_.insert(feeds_.begin(), Tensor());
  }

  Status Run() {
    if (plan_.trace_steps > 0) host_.session.StartTrace();
    stats_.startup_ms = MillisecondsSinceProcessStart();
    DF_TRY(plan_.pass ? RunPasses() : RunPlain());
    return plan_.trace_steps > num_ended() ? WriteTrace() : Status();
  }

 private:
  int64_t num_ended() const { return static_cast<int64_t>(stats_.step_ms.size()); }
  Status WriteTrace() { return host_.session.WriteTrace(plan_.trace_prefix); }

  // Records the time of a step that has ended well.
  Status Count(Clock::time_point start, Clock::time_point end) {
    stats_.step_ms.push_back(MillisecondsBetween(start, end));
    return num_ended() == plan_.trace_steps ? WriteTrace() : Status();
  }

  Status RunPlain() {
    DF_ASSIGN(const Session::Handle handle, host_.prepare(plan_.step));
    stats_.nodes = host_.session.num_nodes(handle);
    std::vector<Tensor> fetched(plan_.step.fetches.size());
    for (int64_t i = 0; i < plan_.repeat; ++i) {
      DF_TRY(host_.check_stop());
      const auto start = Clock::now();
      const Status status = host_.session.RunStep(handle, feeds_, fetched);
      if (i > 0 && status.code() == Code::kOutOfRange && plan_.may_end_early) {
        SayOnStderr(StrCat("the elements of the queues ended after ", i, " of ", plan_.repeat, " steps"));
        return Status();
      }
      DF_TRY(status);
      DF_TRY(Count(start, Clock::now()));
      DF_TRY(arrays_.Add(fetched, 0));
    }
    return Status();
  }

  Status RunPasses() {
    PassSteps steps;
    steps.start = [this](const JobStep& step, std::span<const Tensor> position) { return Start(step, position); };
    steps.ended = [this] {
      const auto end = Clock::now();
      return Count(std::exchange(last_end_, end), end);
    };
    steps.in_flight = in_flight();
    last_end_ = Clock::now();
    for (int64_t i = 0; i < plan_.repeat; ++i) {
      if (plan_.is_evaluation) {
        DF_ASSIGN(const std::vector<Tensor> metrics, RunEvaluation(*plan_.pass, steps));
        DF_TRY(arrays_.Add(metrics, 0));
        continue;
      }
      DF_TRY(RunPass(*plan_.pass, steps, [this](const JobStep&, int64_t samples, std::span<const Tensor> values) {
        return arrays_.Add(values, samples);
      }));
    }
    return Status();
  }

  // Limits the steps in flight to 1 while steps are traced, so that exactly trace_steps are.
  int in_flight() const { return plan_.trace_steps > 0 ? 1 : plan_.steps_in_flight; }

  Result<std::unique_ptr<PendingStep>> Start(const JobStep& step, std::span<const Tensor> position) {
    DF_ASSIGN(const Session::Handle handle, host_.prepare(step.signature));
    stats_.nodes = std::max(stats_.nodes, host_.session.num_nodes(handle));
    DF_TRY(host_.check_stop());
    if (!position.empty()) feeds_[0] = position[0];
    if (in_flight() == 1) last_end_ = Clock::now();
    return host_.session.StartStep(handle, feeds_);
  }

  const StepPlan& plan_;
  const StepHost& host_;
  EvalStats& stats_;
  std::vector<Tensor> feeds_;  // feeds of the step to start
  FetchedArrays arrays_;
  Clock::time_point last_end_;
};

}  // namespace

void StepPlan::AddFeed(Output output, const Tensor& value) {
  std::vector<RunSignature*> steps = {&step};
  if (pass) steps.push_back(&pass->batch.signature);
  if (pass && pass->rest) steps.push_back(&pass->rest->signature);
  for (RunSignature* one : steps) {
    one->feeds.push_back(output);
    one->feed_shapes.emplace_back(value.shape());
  }
  feeds.push_back(value);
}

std::vector<StepPlan::Counted> StepPlan::Runs() const {
  if (!pass) return {{&step, repeat}};
  const int64_t rest = pass->rest ? 1 : 0;
  std::vector<Counted> runs = {{&pass->batch.signature, repeat * (pass->num_steps() - rest)}};
  if (pass->rest) runs.push_back({&pass->rest->signature, repeat});
  return runs;
}

Status RunSteps(const StepPlan& plan, const StepHost& host, ArrayStore& store, EvalStats& stats) {
  return StepsRun(plan, host, store, stats).Run();
}

}  // namespace dfrun::jobs
