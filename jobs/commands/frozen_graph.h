// A graph with weights, for programs that serve it.
#ifndef DFRUN_JOBS_COMMANDS_FROZEN_GRAPH_H_
#define DFRUN_JOBS_COMMANDS_FROZEN_GRAPH_H_

#include <string>
#include <vector>

#include "jobs/model.h"

namespace dfrun::jobs {

struct FreezeOptions {
  std::string restore;               // a checkpoint, or a run directory
  std::vector<std::string> fetches;  // empty: all that the model computes, but for first values of variables
  bool portable = false;
};

// Returns the nodes of the model that give the fetches, with the variables as constants of the checkpoint's values,
// readers of samples as placeholders, and without devices. Names stay. Says on stderr which nodes of all are left out
// because they write variables; of the fetches such a node is an error.
// Blocks: on reads of the checkpoint.
Result<Graph> MakeFrozen(const Model& model, const FreezeOptions& options);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_COMMANDS_FROZEN_GRAPH_H_
