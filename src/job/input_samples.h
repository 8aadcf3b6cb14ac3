// The samples of inputs, as checkpoints describe them. A checkpoint holds positions of inputs; a position counts
// samples in a fixed order, so it means the same samples only while the files hold as many.
#ifndef DFRUN_SRC_JOB_INPUT_SAMPLES_H_
#define DFRUN_SRC_JOB_INPUT_SAMPLES_H_

#include <vector>

#include "src/checkpoint/store.h"
#include "src/spec/job_spec.h"

namespace dfrun {

SavedInput SamplesOf(const InputSpec& input);
// Describes the inputs whose positions a step moves on (`advancing`, by index), and those that number classes.
std::vector<SavedInput> InputsToSave(const std::vector<InputSpec>& inputs, const std::vector<size_t>& advancing);

// Returns BadSpec where the input has other samples than when the checkpoint was written, with the file and both
// numbers. An input that the checkpoint does not know is not compared.
Status CheckSameSamples(const CheckpointStore::Checkpoint& checkpoint, const InputSpec& input);
// BadSpec, with both lists, where the input numbers its classes otherwise: further ones may have come behind those of
// the checkpoint.
Status CheckSameClasses(const std::string& directory, const Manifest& manifest, const InputSpec& input);

// An error that a step met in reading an input, with the input's location in the spec before it; others as they are.
Status NameInput(const LoadedSpec& spec, const Status& status);

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_INPUT_SAMPLES_H_
