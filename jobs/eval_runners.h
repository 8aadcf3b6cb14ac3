// Which queue runners an evaluation needs, and their nodes.
#ifndef DFRUN_JOBS_EVAL_RUNNERS_H_
#define DFRUN_JOBS_EVAL_RUNNERS_H_

#include <set>
#include <string>
#include <vector>

#include "jobs/model.h"
#include "src/passes/prune.h"
#include "src/session/queue_runners.h"
#include "src/session/session.h"

namespace dfrun::jobs {

struct PlannedRunner {
  std::vector<RunSignature> enqueue;
  RunSignature close;
  RunSignature cancel;
  std::vector<Code> ends;
};

// The runners of a MetaGraph whose queues `step` uses, or other runners that are needed do, and one for each node of
// `names` (--runner). Adds nodes that close the queues to the graph. Each run feeds what `step` feeds. Usage errors for
// names that are no nodes or fill no queue; BadSpec where a runner names nodes that are not there.
Result<std::vector<PlannedRunner>> PlanRunners(Model& model, const std::vector<std::string>& names,
                                               const RunSignature& step);

Result<PreparedRunner> PrepareRunner(const PlannedRunner& runner, Session& session);

// What names the queues that the runners fill and close.
std::set<std::string> QueuesOf(const Graph& graph, const std::vector<PlannedRunner>& runners);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_EVAL_RUNNERS_H_
