// Warnings about a spec that is no error, shown by `check` and by a run before the first step.
#ifndef DFRUN_SRC_TRAINING_WARNINGS_SPEC_WARNINGS_H_
#define DFRUN_SRC_TRAINING_WARNINGS_SPEC_WARNINGS_H_

#include <string>
#include <vector>

#include "src/spec/job_spec.h"

namespace dfrun {

// Returns warnings, a sentence each, with the location and the remedy: those of reading the spec (JobSpec::warnings),
// an evaluation that assigns variables or draws random numbers, a metric that it must leave out, a loss that changes
// with `replicas` or over values that meet crosswise, or whose gradients do not reach a trained variable, frozen
// variables that a step assigns, and inputs that are probably not read as was meant. BuildJobGraph() must accept the
// spec.
std::vector<std::string> WarningsOfSpec(const LoadedSpec& spec);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_WARNINGS_SPEC_WARNINGS_H_
