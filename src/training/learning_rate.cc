#include "src/training/learning_rate.h"

#include <vector>

#include "src/spec/schedule_numbers.h"
#include "src/training/rank_devices.h"
#include "src/training/scalar_fetches.h"

namespace dfrun {

Result<Output> AddLearningRate(const Replicas& replicas, const std::string& device, Output token,
                               JobGraphDraft& draft) {
  const ScheduleSpec& schedule = draft.spec.train->learning_rate;
  if (schedule.kind == ScheduleSpec::Kind::kConstant && schedule.warmup == 0) return Output();
  DF_ASSIGN(const std::string host, HostOf(draft.cluster, device));
  GraphOps ops(draft.job.graph, "train", host);
  const DType dtype = LearningRateDType(replicas, draft.job.graph);
  draft.job.scheduled_rate = dtype;
  const std::vector<double> numbers = NumbersOf(schedule);
  const Output step = token.valid() ? ops.Add("step", "_ShareStep", {token}) : ops.Add("step", "_StepNumber", {});
  const Output rate =
      ops.Add("learning_rate", kLearningRateOp, {step},
              {{"T", dtype}, {"schedule", AttrValue(Tensor::Vector<double>(std::span<const double>(numbers)))}});
  DF_TRY(ops.status());
  return rate;
}

Result<Output> AddLearningRateOn(const std::string& host, Output rate, Graph& graph) {
  const Node of_rate = graph.node(rate.node);
  const Node of_step = graph.node(of_rate.inputs[0].node);
  GraphOps ops(graph, "train", host);
  const Output step = ops.Add("step", of_step.op->name, of_step.inputs, of_step.attrs);
  const Output there = ops.Add("learning_rate", of_rate.op->name, {step}, of_rate.attrs);
  DF_TRY(ops.status());
  return there;
}

}  // namespace dfrun
