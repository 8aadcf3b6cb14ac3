// Synchronous training with backup replicas: more replicas compute than a step uses, and the first of them that have
// their gradients make its update.
//
//   token = TakeShare(counter)                          each replica, in a step of its own
//   found, gradients = Model(Read(position of the token), Snapshot(variables))
//   named = OfferShare(counter, token, found)           on the first worker: the token, or none where it comes too late
//   PutShare(inbox, named, KeepNamed(named, gradients)) on each rank with variables
//
//   gradients of all shares = TakeShares(inbox)         the job's step, which waits for the shares that are named
//   Update(variables, slots, mean of the gradients)
//   EndSharesStep(counter)                              after all updates: the tokens of the next step
#ifndef DFRUN_SRC_TRAINING_SHARES_BACKUP_H_
#define DFRUN_SRC_TRAINING_SHARES_BACKUP_H_

#include "src/training/job_graph_draft.h"

namespace dfrun {

// Adds the replicas, and a step that takes the values of `replicas` of them. InvalidArgument where the model cannot be
// trained so.
Status AddWithBackup(int replicas, int backup, JobGraphDraft& draft);
// Adds the end of the step, and what begins and ends periods. Call when the draft has all writers of the step.
Status FinishWithBackup(JobGraphDraft& draft);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_SHARES_BACKUP_H_
