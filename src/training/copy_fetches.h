// Copies a step of a spec's model into a job's graph, with its fetches and with feeds in place of outputs.
#ifndef DFRUN_SRC_TRAINING_COPY_FETCHES_H_
#define DFRUN_SRC_TRAINING_COPY_FETCHES_H_

#include <vector>

#include "src/spec/job_spec.h"
#include "src/training/copy_subgraph.h"
#include "src/training/job_graph.h"

namespace dfrun {

// A step in terms of the model's nodes.
struct StepParts {
  const std::vector<FeedSpec>& feeds;
  const std::vector<FetchSpec>& fetches;
  const std::vector<NodeId>& targets;  // further nodes that it runs
};

// Copies the nodes that give the fetches, with the feeds instead of the outputs that they feed; `step` fetches them and
// runs the targets. Nodes that `map` has already are not copied.
Status CopyFetches(const Graph& model, const StepParts& parts, const SubgraphCopyOptions& options, SubgraphMap map,
                   Graph& graph, JobStep& step);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_COPY_FETCHES_H_
