// The numbers of replicas that a training asks for.
#ifndef DFRUN_SRC_SPEC_REPLICA_COUNTS_H_
#define DFRUN_SRC_SPEC_REPLICA_COUNTS_H_

#include <cstdint>

#include "src/spec/job_spec.h"

namespace dfrun {

// The replicas whose gradients make a step.
inline int64_t ReplicasOf(const TrainSpec& train) {
  return train.strategy.integer("replicas");
}

// Replicas that compute beside these, of which a step has some to spare; 0 for most strategies.
inline int64_t BackupOf(const TrainSpec& train) {
  return train.strategy.values().contains("backup") ? train.strategy.integer("backup") : 0;
}

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_REPLICA_COUNTS_H_
