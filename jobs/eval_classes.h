// Labels of a checkpoint beside those of the data that it is evaluated on.
#ifndef DFRUN_JOBS_EVAL_CLASSES_H_
#define DFRUN_JOBS_EVAL_CLASSES_H_

#include <string>
#include <vector>

#include "jobs/model.h"
#include "src/passes/prune.h"

namespace dfrun::jobs {

// BadSpec where `runs` read labels and an input of the spec numbers its classes otherwise than when the checkpoint was
// written.
Status CheckClassesOfCheckpoint(const Model& model, const std::string& directory,
                                const std::vector<const RunSignature*>& runs);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_EVAL_CLASSES_H_
