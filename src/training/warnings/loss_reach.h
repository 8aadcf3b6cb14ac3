// Describes the variables that the gradients of a training's loss do not reach, frozen variables that change all the
// same, and the places where gradients end.
#ifndef DFRUN_SRC_TRAINING_WARNINGS_LOSS_REACH_H_
#define DFRUN_SRC_TRAINING_WARNINGS_LOSS_REACH_H_

#include <string>

#include "src/spec/job_spec.h"

namespace dfrun {

// A sentence on the trained variables that no gradient of the loss reaches, with the names of ten at most; "" where
// there are none. One that something reads through StopGradient, and one that a step assigns, is meant to be so.
std::string DescribeUnreached(const LoadedSpec& spec);

// A sentence on the variables that `freeze` names and the graph assigns in a step, as moving averages; "" where there
// are none.
std::string DescribeFrozenAssigned(const LoadedSpec& spec);

// A sentence on where gradients of the loss end in a variable, a queue, a table or a draw; "" where none does.
std::string DescribeGradientEnds(const LoadedSpec& spec);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_WARNINGS_LOSS_REACH_H_
