// Recomputation in the graph of one replica: `recompute` of `train:`.
#ifndef DFRUN_SRC_TRAINING_RECOMPUTATION_H_
#define DFRUN_SRC_TRAINING_RECOMPUTATION_H_

#include <vector>

#include "src/training/job_graph_draft.h"

namespace dfrun {

// The graph of a replica that has gradients.
struct ReplicaGradients {
  NodeId first_gradient = 0;        // the nodes from this one on compute gradients
  std::vector<Output> wanted;       // the values that a step gives, the gradients among them
  std::vector<NodeId> trained;      // variables of the job's graph that have gradients
  int replicas = 1;                 // computed by all workers together
  bool have_own_variables = false;  // each replica, that is
  bool are_apart = false;           // each runs for itself
};

// Lets the gradients of `graph` read values that are computed a second time, as the spec's `recompute` says. With
// `auto` values and variables are to fit into the memory that the spec allows the first worker's device; without a
// limit the step keeps few values (src/passes/recompute/choice.h). InvalidArgument where names choose nothing that
// may be recomputed.
Status AddRecomputation(const JobGraphDraft& draft, const ReplicaGradients& gradients, Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_RECOMPUTATION_H_
