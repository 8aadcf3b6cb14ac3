// The learning rate of a step, where a schedule changes it: the job feeds it.
#ifndef DFRUN_SRC_TRAINING_FED_LEARNING_RATE_H_
#define DFRUN_SRC_TRAINING_FED_LEARNING_RATE_H_

#include "src/training/replicas.h"

namespace dfrun {

// The node that a schedule's learning rate is fed to; invalid where the rate is constant.
Result<Output> AddFedLearningRate(const Replicas& replicas, JobGraphDraft& draft);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_FED_LEARNING_RATE_H_
