// Gives the variables of a graph values: those of its spec, those of a checkpoint.
#ifndef DFRUN_JOBS_EVAL_VARIABLES_H_
#define DFRUN_JOBS_EVAL_VARIABLES_H_

#include <string>
#include <vector>

#include "src/framework/tensor.h"
#include "src/passes/prune.h"
#include "src/spec/job_spec.h"

namespace dfrun::jobs {

// A step and what it feeds.
struct FedStep {
  RunSignature signature;
  std::vector<Tensor> feeds;
};

// Adds an Assign of its initial value for every variable of the spec.
Result<FedStep> AddInitialValues(Graph& graph, const JobSpec& job);

// The directory of the checkpoint that `path` names: a checkpoint, or a run directory, whose newest it is. BadSpec
// where it is something else, with what it is and what to do; Io where there is nothing.
Result<std::string> FindCheckpoint(const std::string& path);

// Adds nodes that give every variable, and every queue, table or other object, of `wanted` its value or state in the
// checkpoint in `directory`, where that has it.
// BadSpec for a variable that it has in another dtype or shape, and, if `all` is set, for one that it lacks.
Result<FedStep> AddSavedValues(Graph& graph, const std::vector<std::string>& wanted, const std::string& directory,
                               bool all);

// Adds an Assign of a value that is fed.
Status AddAssigned(Graph& graph, NodeId variable, Tensor value, FedStep& step);

// The variable of this name, its node's or the one that a checkpoint knows it by. NotFound with a near name.
Result<NodeId> VariableOfName(const Graph& graph, const std::string& name);

// Names of the nodes of variables, and of other objects that outlive steps, that a run of `signature` touches.
Result<std::vector<std::string>> VariablesOf(const Graph& graph, const RunSignature& signature);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_EVAL_VARIABLES_H_
