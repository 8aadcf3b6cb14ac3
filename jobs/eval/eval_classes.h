// A check that the labels of a checkpoint agree with those of the data that it is evaluated on.
#ifndef DFRUN_JOBS_EVAL_EVAL_CLASSES_H_
#define DFRUN_JOBS_EVAL_EVAL_CLASSES_H_

#include <string>
#include <vector>

#include "jobs/model.h"
#include "src/passes/prune.h"

namespace dfrun::jobs {

// Returns BadSpec if `runs` read labels and an input of the spec numbers its classes otherwise than at the time of the
// checkpoint.
Status CheckClassesOfCheckpoint(const Model& model, const std::string& directory,
                                const std::vector<const RunSignature*>& runs);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_EVAL_EVAL_CLASSES_H_
