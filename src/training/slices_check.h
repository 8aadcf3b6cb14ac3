// Checks that the batches of a training can be cut into a slice a replica.
#ifndef DFRUN_SRC_TRAINING_SLICES_CHECK_H_
#define DFRUN_SRC_TRAINING_SLICES_CHECK_H_

#include <span>

#include "src/spec/job_spec.h"
#include "src/spec/yaml/diagnostics.h"

namespace dfrun {

// Reports the inputs whose batch is no multiple of `replicas` of the strategy; false then.
bool CheckSlices(const TrainSpec& train, std::span<const InputSpec* const> inputs, Diagnostics& diagnostics);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_SLICES_CHECK_H_
