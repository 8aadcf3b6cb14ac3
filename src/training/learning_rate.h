// The learning rate of a step, where a schedule changes it: a node of the step's number on each rank that uses it.
#ifndef DFRUN_SRC_TRAINING_LEARNING_RATE_H_
#define DFRUN_SRC_TRAINING_LEARNING_RATE_H_

#include <string>

#include "src/training/replicas.h"

namespace dfrun {

inline constexpr const char* kLearningRateOp = "_LearningRate";

// Adds the rate, a scalar, on the CPU of the rank of `device`: of the step that `token` (kernels/shares) is of, or of
// the step that runs where it is invalid. Returns an invalid output where the rate is constant.
Result<Output> AddLearningRate(const Replicas& replicas, const std::string& device, Output token, JobGraphDraft& draft);

// Adds the same rate on another CPU.
Result<Output> AddLearningRateOn(const std::string& host, Output rate, Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_LEARNING_RATE_H_
