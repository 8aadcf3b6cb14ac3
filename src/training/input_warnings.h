// What is said of inputs of a training that are probably not what was meant.
#ifndef DFRUN_SRC_TRAINING_INPUT_WARNINGS_H_
#define DFRUN_SRC_TRAINING_INPUT_WARNINGS_H_

#include <string>
#include <vector>

#include "src/base/status.h"
#include "src/spec/job_spec.h"

namespace dfrun {

// Of sets that each of several replicas reads whole, though the spec does not say so, where the loss reads nothing
// else: the replicas then compute the same. Beside batches that are cut, a set is what each replica needs whole.
Result<std::vector<std::string>> WarningsOfWholeSets(const LoadedSpec& spec);

// Of pairs of inputs whose rows meet in the loss, one with one, though nothing keeps them together: of one length, or
// shuffled each in its own order. Rows that are drawn to be compared are none of these: of inputs that go through the
// same trained variables, or that are one set read twice. Nor are rows of which each meets all others, as in a product
// of two batches, and sets that are read whole in each step.
Result<std::vector<std::string>> WarningsOfUntiedInputs(const LoadedSpec& spec);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_INPUT_WARNINGS_H_
