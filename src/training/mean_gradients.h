// The input of the updates: the mean over the replicas of the gradient of each trained variable.
#ifndef DFRUN_SRC_TRAINING_MEAN_GRADIENTS_H_
#define DFRUN_SRC_TRAINING_MEAN_GRADIENTS_H_

#include <map>
#include <vector>

#include "src/training/replicas.h"

namespace dfrun {

// A sparse gradient in the job's graph.
struct GradientRows {
  Output indices;
  Output values;
};

// At one site, by variable. What was summed has SumDType() (narrow_values.h) of the variable's dtype.
struct MeanGradients {
  std::map<NodeId, Output> dense;
  std::map<NodeId, GradientRows> sparse;
};

// By site of the replicas. Each variable's is where it, or its copy, is. With `sum_equal_rows` each row of a sparse one
// comes once, and of a variable of 16 bits always.
Result<std::vector<MeanGradients>> AddMeanGradients(JobGraphDraft& draft, const Replicas& replicas,
                                                    bool sum_equal_rows);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_MEAN_GRADIENTS_H_
