// Loads a spec file as a checked job and graph.
#ifndef DFRUN_SRC_SPEC_LOAD_H_
#define DFRUN_SRC_SPEC_LOAD_H_

#include <string>

#include "src/spec/job_spec.h"
#include "src/spec/spec_options.h"

namespace dfrun {

// Reads the spec and the files that it includes, builds the forms of its model for training and for evaluation, and
// opens the headers of its input files. Every dtype and shape of the graph has then been checked. kBadSpec with a line
// "file:line:column: message" for each error, at most 20; kIo if the spec itself cannot be read.
// Blocks: on file reads.
// Thread safety: any thread.
Result<LoadedSpec> LoadSpec(const std::string& path, const SpecOptions& options);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_LOAD_H_
