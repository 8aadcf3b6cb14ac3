// A step of a spec's model as nodes of a job's graph: what it fetches, where others are fed.
#ifndef DFRUN_SRC_TRAINING_STAMP_FETCHES_H_
#define DFRUN_SRC_TRAINING_STAMP_FETCHES_H_

#include <vector>

#include "src/spec/job_spec.h"
#include "src/training/job_graph.h"
#include "src/training/stamp.h"

namespace dfrun {

// Of the model.
struct StepParts {
  const std::vector<FeedSpec>& feeds;
  const std::vector<FetchSpec>& fetches;
  const std::vector<NodeId>& targets;  // further nodes that it runs
};

// Stamps what gives the fetches where the feeds take the place of what they feed, and has `step` fetch them and run the
// targets. What `map` has already is not stamped.
Status StampFetches(const Graph& model, const StepParts& parts, const StampOptions& options, StampMap map, Graph& graph,
                    JobStep& step);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_STAMP_FETCHES_H_
