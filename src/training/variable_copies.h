// The sites where trained variables are read and updated in a step.
//
// With `data_parallel: ps` there is one site, and each variable is on its own device. With `allreduce` each task that
// computes replicas is a site with a copy of each variable, but for the task of the variable itself, which uses the
// variable. The variable is what is saved, evaluated and fetched; a value that it gets outside of a step goes to the
// copies as well.
//
// Invariants: all copies have equal bits at all times. They start so, and each is updated by the same nodes from the
// same means.
//
// A strategy may make each replica a site with variables of its own, whatever their tasks: these are copies as well,
// which get what the variable gets outside of a step, but differ from it and from each other between two syncs.
#ifndef DFRUN_SRC_TRAINING_VARIABLE_COPIES_H_
#define DFRUN_SRC_TRAINING_VARIABLE_COPIES_H_

#include <map>
#include <string>
#include <vector>

#include "src/training/job_graph_draft.h"

namespace dfrun {

struct TrainingSite {
  std::string device;                 // a constraint: that of its replicas, or of the first where it is the only site
  std::string prefix;                 // prefix of its copies' names: "copy_1/"; empty where it is the only site
  std::map<NodeId, NodeId> copies{};  // by variable, of those that are on another task
  int replica = -1;                   // not -1: the site is this replica alone, with variables and slots of its own

  bool is_replica() const { return replica >= 0; }
  // The node that stands for a variable at this site.
  NodeId Of(NodeId variable) const {
    const auto copy = copies.find(variable);
    return copy == copies.end() ? variable : copy->second;
  }
};

// `devices`: of the replicas, equal ones behind each other. InvalidArgument, at the variable's location, where the spec
// binds one of `variables` to a task without replicas that would have to send it in each step.
Result<std::vector<TrainingSite>> AddTrainingSites(JobGraphDraft& draft, const std::vector<std::string>& devices,
                                                   const std::vector<NodeId>& variables);

// Nodes of `run` that give the copies of `variable` the value that `assigned` has.
Status AssignCopies(JobGraphDraft& draft, NodeId variable, Output assigned, RunSignature& run);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_VARIABLE_COPIES_H_
