// Replicas that run for themselves: each is a step of its own, which takes the token of a share, reads the variables as
// they are then, and makes the updates of its gradients.
//
//   token = TakeShare(counter)                       on the first worker, which counts shares and bounds the staleness
//   values = Snapshot(variable, token)               on each variable's device
//   gradients = Model(Read(position of the token), values)
//   turn = BeginTurn(gradients)                      on each device with variables, where their updates need one
//   Update(variable, slots, gradient), EndTurn
//   EndShare(token, loss, summaries)                 on the first worker, after all of its updates
#ifndef DFRUN_SRC_TRAINING_SHARES_REPLICAS_APART_H_
#define DFRUN_SRC_TRAINING_SHARES_REPLICAS_APART_H_

#include <cstdint>

#include "src/training/job_graph_draft.h"

namespace dfrun {

struct ApartOptions {
  int replicas = 1;
  int loops = 1;               // loops of each replica: steps that it has in flight
  int64_t max_staleness = -1;  // in steps; -1: no bound. 0: the shares of a step are applied in their order
};

// Adds the replicas with their updates to the draft (JobGraphDraft::apart). InvalidArgument where the model cannot be
// trained so.
Status AddReplicasApart(const ApartOptions& options, JobGraphDraft& draft);
// Adds gates, turns and the ends of shares, and describes all in JobGraph::apart. Call when devices have been chosen.
Status FinishReplicasApart(const ApartOptions& options, JobGraphDraft& draft);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_SHARES_REPLICAS_APART_H_
