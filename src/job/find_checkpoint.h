// Checkpoints by the names that people give them: a checkpoint's directory, RUN for the newest one of a run directory,
// RUN@best for that of its best step, RUN@1200 for that of step 1200. A path that exists wins over an '@'.
#ifndef DFRUN_SRC_JOB_FIND_CHECKPOINT_H_
#define DFRUN_SRC_JOB_FIND_CHECKPOINT_H_

#include <string>
#include <string_view>

#include "src/base/status.h"

namespace dfrun {

// Returns the directory of the checkpoint. `asker` is the flag or key that `name` was given to, for errors: BadSpec if
// the name is of something else, with what it is and what to do; NoInput if there is nothing; Usage where a run has no
// checkpoint of that step, with those that it has.
// Blocks: on the file system.
Result<std::string> FindCheckpoint(std::string_view asker, const std::string& name);

// The path of the run in RUN@best and RUN@1200, where no file has the whole name; else `name`.
std::string RunOfCheckpointName(const std::string& name);

}  // namespace dfrun

#endif  // DFRUN_SRC_JOB_FIND_CHECKPOINT_H_
