// The queue runners that an evaluation needs, and their nodes.
#ifndef DFRUN_JOBS_EVAL_EVAL_RUNNERS_H_
#define DFRUN_JOBS_EVAL_EVAL_RUNNERS_H_

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

// Returns one runner for each node of `names` (--runner), and the runners of a MetaGraph whose queues `step` or another
// needed runner uses. Adds nodes that close the queues to the graph. Each run feeds what `step` feeds. Usage error for
// a name that is no node or fills no queue; BadSpec if a runner names nodes that the graph lacks.
Result<std::vector<PlannedRunner>> PlanRunners(Model& model, const std::vector<std::string>& names,
                                               const RunSignature& step);

Result<PreparedRunner> PrepareRunner(const PlannedRunner& runner, Session& session);

// Returns the names of the queues that the runners fill and close.
std::set<std::string> QueuesOf(const Graph& graph, const std::vector<PlannedRunner>& runners);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_EVAL_EVAL_RUNNERS_H_
