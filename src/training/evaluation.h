// The evaluation of a spec in the graph: its metrics over all samples of the inputs that it reads, a batch a step.
#ifndef DFRUN_SRC_TRAINING_EVALUATION_H_
#define DFRUN_SRC_TRAINING_EVALUATION_H_

#include <string>

#include "src/spec/job_spec.h"
#include "src/training/copy_subgraph.h"
#include "src/training/job_graph.h"

namespace dfrun {

// Adds to a graph the copy of `model` that gives the metrics of spec.eval, with what that feeds: a copy that reads a
// batch, and where batches do not divide the samples one that reads the last batch, so that the shapes of both are
// static. An input of `batch: all`, and one that holds a single batch, is read as it is. `shared`: nodes of `model`
// that are not copied, to those of the graph. New nodes are on `device`, where nothing else says where. InvalidArgument
// where two of the inputs differ in samples or batch.
Result<EvaluationPass> AddEvaluation(const JobSpec& spec, const Graph& model, const SubgraphMap& shared,
                                     const std::string& device, Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_EVALUATION_H_
