// The nodes by which variables get values that the job is given, `init_from`, after their first ones.
#ifndef DFRUN_SRC_TRAINING_GIVEN_VALUES_H_
#define DFRUN_SRC_TRAINING_GIVEN_VALUES_H_

#include "src/training/job_graph_draft.h"

namespace dfrun {

// Adds a placeholder and an assignment, also of the copies, for each variable that `init_from` has taken and the job
// reads (JobGraph::given). Does nothing without `init_from`.
Status AddGivenValues(const LoadedSpec& spec, JobGraphDraft& draft);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_GIVEN_VALUES_H_
