// The evaluation of a spec: its metrics over all samples of the inputs that it reads, a batch a step.
#ifndef DFRUN_SRC_SESSION_EVALUATION_H_
#define DFRUN_SRC_SESSION_EVALUATION_H_

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "src/session/job_graph.h"
#include "src/session/stamp.h"

namespace dfrun {

// Adds to a graph the copy of `model` that gives the metrics of spec.eval, with what that feeds: a copy that reads a
// batch, and where batches do not divide the samples one that reads the last batch, so that the shapes of both are
// static. An input of `batch: all`, and one that holds a single batch, is read as it is. `shared`: nodes of `model`
// that are not copied, to those of the graph. New nodes are on `device`, where nothing else says where. InvalidArgument
// where two of the inputs differ in samples or batch.
Result<EvaluationPass> AddEvaluation(const JobSpec& spec, const Graph& model, const StampMap& shared,
                                     const std::string& device, Graph& graph);

// Makes a pass over all samples: run(step, feeds, metrics) runs a step of the pass and sets what it fetches. Each
// metric is the mean of what the steps gave, weighted by their samples, summed in the order of the steps; that of a
// single step is what it gave, others are of the metric's dtype where it is a floating one, else double.
using RunEvaluationStep =
    std::function<Status(const JobStep& step, std::span<const Tensor> feeds, std::span<Tensor> metrics)>;
Result<std::vector<Tensor>> RunEvaluation(const EvaluationPass& pass, const RunEvaluationStep& run);

}  // namespace dfrun

#endif  // DFRUN_SRC_SESSION_EVALUATION_H_
