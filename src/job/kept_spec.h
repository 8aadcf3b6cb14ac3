// spec.yaml of a run directory: the spec of the run as it was understood, which any command reads.
#ifndef DFRUN_SRC_JOB_KEPT_SPEC_H_
#define DFRUN_SRC_JOB_KEPT_SPEC_H_

#include <string>

#include "src/base/status.h"
#include "src/spec/job_spec.h"

namespace dfrun {

// Returns LoadedSpec::printed behind two lines: the mark of dfrun's files, and the digest of the graph.
std::string MarkedSpec(const LoadedSpec& spec);

// Writes the marked spec to `path`, atomically. A file that differs in comments alone stays, and so does one that the
// spec itself was read from. Returns a sentence where a file that dfrun did not write has the name, which stays too, or
// where the text is longer than a spec may be; else "".
// Blocks: on the file system.
Result<std::string> KeepSpec(const std::string& path, const LoadedSpec& spec);

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_KEPT_SPEC_H_
