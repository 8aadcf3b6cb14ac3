// The samples that a `dfrun predict` command line names: inputs of the spec, files in the place of an input's, datasets
// in the place of tensors.
#ifndef DFRUN_JOBS_PREDICT_PREDICT_INPUTS_H_
#define DFRUN_JOBS_PREDICT_PREDICT_INPUTS_H_

#include <string>
#include <vector>

#include "jobs/model.h"
#include "src/training/spec_evaluation.h"

namespace dfrun::jobs {

struct GivenSamples {
  std::vector<std::string> files;  // --input: in the place of the files of the input that is read
  std::vector<std::string> feeds;  // --feed
  std::vector<std::string> allow_paths;
};

// Resolves the options for what is `wanted` of the model, a spec. Adds inputs that read the files and datasets to the
// spec and its graph, and constants for values. A dataset is read a row a sample where it has the place of a tensor of
// an input, or of a placeholder whose first size is open. Of an input only those tensors are read that `wanted` needs.
// Usage error for a text that has another form or does not fit; NoInput for files that cannot be read.
// Blocks: on file reads.
Result<std::vector<FedOutput>> AddSamples(const GivenSamples& options, const std::vector<Output>& wanted, Model& model);

// The file of "NAME=FILE.h5:/dataset", or none.
std::vector<std::string> FilesOfSamples(const GivenSamples& options);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_PREDICT_PREDICT_INPUTS_H_
