// Whether a variable's dtype can hold the numbers by which it is trained.
#ifndef DFRUN_SRC_TRAINING_OPTIMIZER_CONSTANTS_H_
#define DFRUN_SRC_TRAINING_OPTIMIZER_CONSTANTS_H_

#include "src/training/replicas.h"

namespace dfrun {

// InvalidArgument, with the variable and the way out, where the dtype of a trained variable holds a key of the
// optimizer as 0, 1 or infinite that is none of these (Adam's beta2 of 0.999 in bfloat16), or a learning rate as 0 or
// infinite; so does that of its gradients with `clip_norm`.
Status CheckOptimizerConstants(const JobGraphDraft& draft, const Replicas& replicas);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_OPTIMIZER_CONSTANTS_H_
