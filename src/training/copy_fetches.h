// A step of a spec's model as nodes of a job's graph: what it fetches, where others are fed.
#ifndef DFRUN_SRC_TRAINING_COPY_FETCHES_H_
#define DFRUN_SRC_TRAINING_COPY_FETCHES_H_

#include <vector>

#include "src/spec/job_spec.h"
#include "src/training/copy_subgraph.h"
#include "src/training/job_graph.h"

namespace dfrun {

// Of the model.
struct StepParts {
  const std::vector<FeedSpec>& feeds;
  const std::vector<FetchSpec>& fetches;
  const std::vector<NodeId>& targets;  // further nodes that it runs
};

// Stamps what gives the fetches where the feeds take the place of what they feed, and has `step` fetch them and run the
// targets. What `map` has already is not copied.
Status CopyFetches(const Graph& model, const StepParts& parts, const SubgraphCopyOptions& options, SubgraphMap map,
                   Graph& graph, JobStep& step);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_COPY_FETCHES_H_
