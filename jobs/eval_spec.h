// The evaluation that a spec itself describes, as nodes of its graph.
#ifndef DFRUN_JOBS_EVAL_SPEC_H_
#define DFRUN_JOBS_EVAL_SPEC_H_

#include <string>
#include <vector>

#include "src/spec/job_spec.h"

namespace dfrun::jobs {

struct SpecEvaluation {
  std::vector<std::string> names;
  std::vector<Output> fetches;
};

// Adds a copy, under `eval/`, of what the metrics of `eval:` (without it, the fetches of `run:`) are computed from, in
// which each feed's value stands in the place of what it feeds; variables are shared. Usage error where the spec has
// neither section.
Result<SpecEvaluation> AddSpecEvaluation(Graph& graph, const JobSpec& job);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_EVAL_SPEC_H_
