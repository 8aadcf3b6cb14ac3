// The rows of variables that `summaries` names for a projector.
#ifndef DFRUN_SRC_JOB_EMBEDDINGS_H_
#define DFRUN_SRC_JOB_EMBEDDINGS_H_

#include <string>

#include "src/session/session.h"
#include "src/spec/job_spec.h"

namespace dfrun {

// Reads the first rows of the variables, as they are now, by a step of the session, and writes them below `run`, a
// directory of event files (src/events/projector.h). Adds nodes to the session's graph.
// Blocks: for the step, and on the file system.
Status WriteEmbeddings(Session& session, const LoadedSpec& spec, const std::string& run);

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_EMBEDDINGS_H_
