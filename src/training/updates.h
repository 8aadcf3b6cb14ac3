// The writes of a training step: one update a variable, and one of each copy of it, from the mean of its gradients,
// after all readers of it.
#ifndef DFRUN_SRC_TRAINING_UPDATES_H_
#define DFRUN_SRC_TRAINING_UPDATES_H_

#include <map>
#include <string>

#include "src/training/replicas.h"

namespace dfrun {

// Variables that updates have added, by their names.
using AddedVariables = std::map<std::string, NodeId>;

// Clips and applies the gradients. `learning_rate`: of AddLearningRate(); invalid: the rate is constant.
Status AddUpdates(JobGraphDraft& draft, const Replicas& replicas, Output learning_rate);
// Adds updates likewise, where others of the same variables may have added slots: these are used then.
Status AddUpdates(JobGraphDraft& draft, const Replicas& replicas, Output learning_rate, AddedVariables& slots);

// Adds the nodes that advance the position of each input that is read by a batch.
Status AddInputAdvance(JobGraphDraft& draft);

// Adds control edges by which a writer runs after the readers of its variable. Call when all nodes of the step are
// there, and before those of evaluation.
void OrderWritersAfterReaders(JobGraphDraft& draft);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_UPDATES_H_
