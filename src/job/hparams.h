// The hyperparameters of a job, by which runs are told apart.
#ifndef DFRUN_SRC_JOB_HPARAMS_H_
#define DFRUN_SRC_JOB_HPARAMS_H_

#include "src/base/json/json_value.h"
#include "src/spec/job_spec.h"

namespace dfrun {

// Returns an object of numbers, bools and texts: the params of the spec, as the command line has set them, and behind
// them what its sections say of the training: keys of `train` that decide values, seed, steps and batch. A param of the
// name of such a key counts alone.
JsonValue HParamsOf(const LoadedSpec& spec);

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_HPARAMS_H_
