// Inputs that a command line adds to a spec's graph: samples to predict, in files that the spec does not name.
#ifndef DFRUN_SRC_SPEC_ADDED_INPUT_H_
#define DFRUN_SRC_SPEC_ADDED_INPUT_H_

#include <string>
#include <vector>

#include "src/spec/job_spec.h"

namespace dfrun {

// Opens the files of `input`, whose format, files, options and tensors are given, counts their samples and adds its
// nodes to the graph, under a free name that begins with `input.name`. Tensors with dtype and shape must fit them.
// NoInput for files that cannot be read, InvalidArgument for a tensor that the files do not have.
// Blocks: on file reads.
Result<InputSpec> AddInput(InputSpec input, Graph& graph);

// An input that reads `files` by the keys of `like`, and of its tensors those for which `needed` is true.
InputSpec InputLike(const InputSpec& like, std::vector<std::string> files, const std::vector<bool>& needed);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_ADDED_INPUT_H_
