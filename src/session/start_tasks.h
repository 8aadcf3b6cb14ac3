// Starts the tasks of a session: every rank becomes a task, and reports its devices.
#ifndef DFRUN_SRC_SESSION_START_TASKS_H_
#define DFRUN_SRC_SESSION_START_TASKS_H_

#include "src/placement/cluster.h"
#include "src/session/runtime.h"
#include "src/session/session_options.h"

namespace dfrun {

// Rank 0: gives each rank its task of `options.jobs` and the rules for the files that its ops may open; returns the
// cluster of the devices that the ranks then report. It may be called again, with the same jobs: Session::Create() does
// so after a caller that needs the cluster to build the session's graph. InvalidArgument: as AssignTasks().
// FailedPrecondition: a rank is another task, or has no device of the host's type.
// Blocks: until all ranks have answered.
Result<Cluster> StartTasks(Runtime& runtime, const SessionOptions& options);

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_START_TASKS_H_
