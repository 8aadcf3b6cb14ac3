// Variables that the model itself assigns in a step: moving averages, counters.
//
// Replicas that assign one variable would race. So where the variable says `reduce`, each replica assigns, and reads, a
// copy of its own that begins the step with the variable's value; after all of them the variable gets, once, the
// combined value of the copies, in the order of the replicas. A variable without `reduce` is assigned as the model has
// it, which only a single replica may do.
#ifndef DFRUN_SRC_TRAINING_ASSIGNED_VARIABLES_H_
#define DFRUN_SRC_TRAINING_ASSIGNED_VARIABLES_H_

#include <set>
#include <span>
#include <string>
#include <vector>

#include "src/training/job_graph_draft.h"
#include "src/training/variable_copies.h"

namespace dfrun {

class AssignedVariables {
 public:
  // The variables that a step trains.
  struct TrainedVariables {
    std::set<NodeId> nodes;  // nodes of the model
    bool may_be_assigned;    // by the model as well, though not in a branch or a loop
  };

  // Finds the variables that nodes of `body` assign. `graph` is that of one of so many replicas, a clone of the draft's
  // model with more nodes. Adds control edges to it: a node that reads such a variable, and does not wait for a writer
  // of it, comes before the writer. InvalidArgument, at the variable's location, where several replicas would race, and
  // where a trained variable may not be assigned.
  static Result<AssignedVariables> Find(const JobGraphDraft& draft, int replicas, const TrainedVariables& trained,
                                        const std::vector<NodeId>& body, Graph& graph);

  // Whether it is one that says `reduce`; a node of the model.
  bool Has(NodeId variable) const;
  // The copies of a replica, before it is copied: they stand for the variables in `map`.
  Status AddCopies(const SubgraphCopyOptions& replica, JobGraphDraft& draft, SubgraphMap& map) const;
  // Variables that say `reduce`, nodes of the model, are numbered from 0 on. These add the nodes that assign them, as
  // targets of the step and among the draft's writers. Call after all replicas are copied.
  size_t count() const { return assigned_.size(); }
  NodeId variable(size_t i) const { return assigned_[i].variable->node; }
  // The value that a replica gives to variable i; `map` is from `graph` to the job's.
  Result<Output> AddValue(size_t i, const SubgraphMap& map, JobGraphDraft& draft) const;
  // Assigns variable i, as it is at `site`, what `reduce` makes of the replicas' values.
  Status AssignReduced(size_t i, std::vector<Output> values, const TrainingSite& site, JobGraphDraft& draft) const;
  // A variable that says `reduce`, a node of the model; null where it is none.
  const VariableSpec* SpecOf(NodeId variable) const;
  // Adds them for one of several replicas that run for themselves: a `mean` becomes the replica's value, to a `sum` its
  // change is added, and `first` is assigned by the first replica alone.
  Status AddAssignmentsOf(const SubgraphMap& map, bool is_first, JobGraphDraft& draft) const;

 private:
  struct Assigned {
    const VariableSpec* variable;
    std::vector<NodeId> writers;  // nodes of one replica's graph
  };

  std::vector<Assigned> assigned_;  // the variables that say `reduce`
};

// The combined value of the replicas' values of a variable, as `reduce` says; a sum has SumDType().
Output ReducedValue(GraphOps& ops, VariableSpec::Reduce reduce, Output variable, DType dtype,
                    std::vector<Output> values);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_ASSIGNED_VARIABLES_H_
