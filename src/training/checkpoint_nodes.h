// Adds the nodes that save and restore the state that a job keeps.
#ifndef DFRUN_SRC_TRAINING_CHECKPOINT_NODES_H_
#define DFRUN_SRC_TRAINING_CHECKPOINT_NODES_H_

#include <string>

#include "src/training/job_graph_draft.h"

namespace dfrun {

// The device of the same task that reads and writes files: values come to it and go from it as to any other.
Result<std::string> HostOf(const std::string& device);

// A SaveShard and a RestoreShard for each task whose devices have anything of `draft.kept`, which is whole by then.
// They are on the task's host device.
Status AddSaveAndRestore(JobGraphDraft& draft);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_CHECKPOINT_NODES_H_
