// The finding of a check of values (src/executor/step/numerics_check.h), in the words of a spec.
#ifndef DFRUN_SRC_JOB_NUMERICS_FINDING_H_
#define DFRUN_SRC_JOB_NUMERICS_FINDING_H_

#include <string>
#include <vector>

#include "src/base/status.h"
#include "src/graph/graph.h"
#include "src/spec/job_spec.h"

namespace dfrun {

// Whether the status is such a finding, and not another error of kNotFinite.
bool IsNumericsFinding(const Status& status);

// The name of the node that a finding names.
std::string NodeInFinding(const Status& found);

// The place of that node in the spec, as the beginning of a message; "" where it has none, as in a graph.
std::string LocationOfFinding(const Graph& graph, const Status& found);

// The finding's sentence; for a node that reads an input, which input that is.
std::string DescribeFinding(const std::vector<InputSpec>& inputs, const Status& found);

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_NUMERICS_FINDING_H_
