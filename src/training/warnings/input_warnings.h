// Warnings about inputs of a training that probably do not do what was meant.
#ifndef DFRUN_SRC_TRAINING_WARNINGS_INPUT_WARNINGS_H_
#define DFRUN_SRC_TRAINING_WARNINGS_INPUT_WARNINGS_H_

#include <string>
#include <vector>

#include "src/base/status.h"
#include "src/spec/job_spec.h"

namespace dfrun {

// Warnings about sets that each of several replicas reads whole, though the spec does not say so, where the loss reads
// nothing else: the replicas then compute the same. Beside batches that are cut, every replica needs a whole set, and
// there is no warning.
Result<std::vector<std::string>> WarningsOfWholeSets(const LoadedSpec& spec);

// Warnings about pairs of inputs whose rows meet in the loss, one with one, though nothing keeps them together: inputs
// of one length, or inputs shuffled each in its own order. There is no warning about rows that are drawn to be compared
// (inputs that go through the same trained variables, or one set read twice), about rows of which each meets all
// others, as in a product of two batches, nor about sets that are read whole in each step.
Result<std::vector<std::string>> WarningsOfUntiedInputs(const LoadedSpec& spec);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_WARNINGS_INPUT_WARNINGS_H_
