// The variables of a spec that its job reads.
#ifndef DFRUN_SRC_TRAINING_READ_VARIABLES_H_
#define DFRUN_SRC_TRAINING_READ_VARIABLES_H_

#include <vector>

#include "src/spec/job_spec.h"

namespace dfrun {

// Tells for each of JobSpec::variables whether a step, a summary or an evaluation depends on it, in this form of the
// model or in the other one, which may be null. Of a spec that has neither `train` nor `run` all are read.
std::vector<bool> FindReadVariables(const JobSpec& job, const Graph& graph, const LoadedSpec* other);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_READ_VARIABLES_H_
