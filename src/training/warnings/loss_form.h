// Tells whether a loss keeps its value with replicas, which compute it over equal slices of the batch and take the
// mean.
#ifndef DFRUN_SRC_TRAINING_WARNINGS_LOSS_FORM_H_
#define DFRUN_SRC_TRAINING_WARNINGS_LOSS_FORM_H_

#include <string>

#include "src/spec/job_spec.h"

namespace dfrun {

struct LossForm {
  enum class Kind {
    kUnknown,    // the graph does not show it
    kMean,       // over the samples of values of their own, times and plus constants
    kSum,        // over the samples
    kRatio,      // something divided by a value of the batch, as sum(x * m) / sum(m)
    kNonlinear,  // another function of values of the batch, as sqrt(mean(x))
  };
  Kind kind = Kind::kUnknown;
  NodeId node = -1;  // the node that shows it

  // The loss over the batch is known not to be the mean of those over the slices.
  bool changes_with_replicas() const { return kind >= Kind::kSum; }
};

// Finds the form of the loss of a training whose batches are cut into `slices` > 1. Batch normalisation and the like,
// which take each slice for itself before the loss, are not looked at.
Result<LossForm> FormOfLoss(const LoadedSpec& spec, int64_t slices);

// Returns a sentence on a loss that changes with replicas: the place, the reason, and the notation to use instead.
std::string DescribeLossForm(const Graph& graph, const LossForm& form, int64_t replicas);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_WARNINGS_LOSS_FORM_H_
