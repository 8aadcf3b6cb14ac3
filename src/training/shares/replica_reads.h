// The reads of a replica that runs for itself: the token of its share, the position of the share's rows, and the
// variables as they are once it has the token.
#ifndef DFRUN_SRC_TRAINING_SHARES_REPLICA_READS_H_
#define DFRUN_SRC_TRAINING_SHARES_REPLICA_READS_H_

#include <string>
#include <utility>

#include "src/training/job_graph_draft.h"
#include "src/training/replicas.h"

namespace dfrun {

// The input whose rows are cut into shares; null: the loss reads none, or all rows in each step.
const InputSpec* InputOfShares(const JobSpec& spec);

// Adds the reads of all replicas of one draft.
// Thread safety: one thread.
class ReplicaReads {
 public:
  // `counter`: the handle of what hands out tokens, on the device `home`.
  ReplicaReads(JobGraphDraft& draft, Output counter, std::string home)
      : draft_(draft), counter_(counter), home_(std::move(home)) {}

  // Adds those of a replica on a device, and returns what stands for the model's variables there. For
  // Replicas::AddApart(); fills the replica's entry of JobGraphDraft::apart.
  Result<SubgraphMap> Add(int number, const std::string& device);
  // Has tables, of which a share reads some rows, not copied whole.
  void ShareTables(const Replicas& replicas);
  // Forgets the snapshots that nothing reads. InvalidArgument where the replicas read another input, whose position
  // would never move on.
  Status KeepUsed();

 private:
  JobGraphDraft& draft_;
  const Output counter_;
  const std::string home_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_SHARES_REPLICA_READS_H_
