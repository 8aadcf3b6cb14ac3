// Warnings about a spec that is no error, shown by `check` and by a run before the first step.
#ifndef DFRUN_SRC_TRAINING_SPEC_WARNINGS_H_
#define DFRUN_SRC_TRAINING_SPEC_WARNINGS_H_

#include <string>
#include <vector>

#include "src/spec/job_spec.h"

namespace dfrun {

// A sentence each, with its location and what to write: those of reading it (JobSpec::warnings), an evaluation that
// assigns variables or draws random numbers, a metric that it must leave out, a loss that changes with `replicas` or
// over values that meet crosswise, or whose gradients do not reach what is trained, inputs that are probably not read
// as was meant. Of a spec that BuildJobGraph() accepts.
std::vector<std::string> WarningsOfSpec(const LoadedSpec& spec);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_SPEC_WARNINGS_H_
