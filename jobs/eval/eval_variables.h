// The steps that give the variables of a graph their values: those of its spec, or those of a checkpoint.
#ifndef DFRUN_JOBS_EVAL_EVAL_VARIABLES_H_
#define DFRUN_JOBS_EVAL_EVAL_VARIABLES_H_

#include <map>
#include <string>
#include <vector>

#include "jobs/model.h"
#include "src/framework/values/tensor.h"
#include "src/passes/prune.h"
#include "src/spec/job_spec.h"

namespace dfrun::jobs {

// A step and its feeds.
struct FedStep {
  RunSignature signature;
  std::vector<Tensor> feeds;
};

// Adds an Assign of the initial value for every variable of the spec.
Result<FedStep> AddInitialValues(Graph& graph, const JobSpec& job);

// Reads the values that those of the variables `wanted`, by name, begin with which `init_from` of the spec gives theirs,
// and says on stderr where they are from.
Result<std::map<NodeId, Tensor>> ReadInitFrom(const Model& model, const std::vector<std::string>& wanted);

// Adds nodes that restore the objects in `wanted`, which `runs` use, from the checkpoint in `directory`: variables,
// queues, tables and others, as far as the checkpoint has them. BadSpec for a variable that has another dtype or shape
// there, if `all` is set for one that is missing there, and for labels of which the checkpoint has other classes
// (CheckClassesOfCheckpoint).
Result<FedStep> AddSavedValues(Model& model, const std::string& directory, const std::vector<const RunSignature*>& runs,
                               const std::vector<std::string>& wanted, bool all);

// Returns the values that the checkpoint in `directory` has of these variables. BadSpec for one that it lacks or that
// has another dtype or shape there.
Result<std::map<NodeId, Tensor>> ValuesInCheckpoint(const Graph& graph, const std::vector<NodeId>& variables,
                                                    const std::string& directory);

// Adds an Assign of a fed value.
Status AddAssigned(Graph& graph, NodeId variable, Tensor value, FedStep& step);

// Returns the variable of this name, which is its node's name or its name in a checkpoint. NotFound with a similar
// name.
Result<NodeId> VariableOfName(const Graph& graph, const std::string& name);

// Returns the names of the nodes of variables, and of other objects that outlive steps, that `runs` use, by name.
Result<std::vector<std::string>> VariablesOf(const Graph& graph, const std::vector<const RunSignature*>& runs);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_EVAL_EVAL_VARIABLES_H_
