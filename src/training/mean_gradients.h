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

// The means at one site, by variable: of the only replica there, where replicas have variables of their own. A sum has
// SumDType() (narrow_values.h) of the variable's dtype.
struct MeanGradients {
  std::map<NodeId, Output> dense;
  std::map<NodeId, GradientRows> sparse;
};

// Each row once, with the sum of its values in their order. Source: TensorFlow's Optimizer.
GradientRows SumEqualRows(GraphOps& ops, const GradientRows& rows);

// Adds the means and returns them by site of the replicas. The mean for a variable is where the variable, or its copy,
// is. With `sum_equal_rows`, and always for a variable of 16 bits, each row of a sparse gradient comes once.
Result<std::vector<MeanGradients>> AddMeanGradients(JobGraphDraft& draft, const Replicas& replicas,
                                                    bool sum_equal_rows);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_MEAN_GRADIENTS_H_
