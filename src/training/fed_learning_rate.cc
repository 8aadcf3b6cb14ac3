#include "src/training/fed_learning_rate.h"

#include "src/training/scalar_fetches.h"

namespace dfrun {

Result<Output> AddFedLearningRate(const Replicas& replicas, JobGraphDraft& draft) {
  const ScheduleSpec& schedule = draft.spec.train->learning_rate;
  if (schedule.kind == ScheduleSpec::Kind::kConstant && schedule.warmup == 0) return Output();
  GraphOps ops(draft.job.graph, "train", draft.workers[0]);
  const DType dtype = LearningRateDType(replicas, draft.job.graph);
  const Output fed = ops.Add("learning_rate", "Placeholder", {}, {{"dtype", dtype}, {"shape", Shape()}});
  DF_TRY(ops.status());
  draft.job.fed_learning_rate = dtype;
  draft.job.step.signature.feeds = {fed};
  draft.job.step.signature.feed_shapes = {PartialShape::Scalar()};
  return fed;
}

}  // namespace dfrun
