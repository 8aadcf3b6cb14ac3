// A pass over samples in the graph of a spec: the metrics of its evaluation, or predictions, a batch a step.
#ifndef DFRUN_SRC_TRAINING_EVALUATION_H_
#define DFRUN_SRC_TRAINING_EVALUATION_H_

#include <string>
#include <vector>

#include "src/spec/job_spec.h"
#include "src/training/copy_subgraph.h"
#include "src/training/job_graph.h"

namespace dfrun {

// The batches of a pass, where they are not those of its inputs.
struct PassBatches {
  int64_t samples = 0;  // samples of a batch, also of an input of `batch: all`; 0: the inputs' own batches
  int64_t begin = 0;    // the first sample that the pass reads
  // The pass is one of so many that share the samples: it reads the batch `number` of every `count` that follow each
  // other. The last batch, if it is shorter, is of the pass 0.
  int64_t number = 0;
  int64_t count = 1;
};

// The values that a pass computes, as nodes of a spec's graph.
struct PassRequest {
  std::vector<FeedSpec> feeds;
  std::vector<FetchSpec> fetches;
  std::vector<NodeId> targets;  // further nodes that each step runs
  std::string what;             // "the metrics of 'eval'", for errors
  SourceLocation location;      // the place of `what` in the spec
  bool finds_rows = false;      // fills in EvaluationPass::rows
  std::string name = {};        // the evaluation's own name; empty: it has none
  std::vector<PassMetric> metrics = {};
  PassBatches batches = {};
  // The devices of nodes, by their names with `placed_prefix` before them; null: one device has them all.
  const NodePlacement* placement = nullptr;
  std::string placed_prefix = {};
};

PassRequest MetricsOf(const EvalSpec& eval);

// A metric of an evaluation that needs a placeholder which the evaluation does not feed: a job leaves it out, and
// `dfrun eval` computes it where it is given a value for the placeholder.
struct UnfedMetric {
  size_t metric = 0;  // index in EvalSpec::metrics
  NodeId placeholder = -1;
};
Result<std::vector<UnfedMetric>> FindUnfedMetrics(const Graph& model, const EvalSpec& eval);

// The pass of a job's evaluation: MetricsOf() without those.
Result<PassRequest> FedMetricsOf(const Graph& model, const EvalSpec& eval);

// Adds to a graph the copy of `model` that gives the fetches of a pass, with its feeds: a copy that reads a batch, and
// where batches do not divide the samples one that reads the last batch, so that the shapes of both are static. An
// input of `batch: all`, and one that holds a single batch, is read whole. All are read from the first sample on, in
// the order of the files. `shared`: nodes of `model` that are not copied, to those of the graph. New nodes without a
// constraint are on `device`. InvalidArgument where two of the inputs differ in samples or batch, and where rows are
// found of an output that is no row a sample and has other shapes in the last batch. With PassRequest::batches no input
// is read whole, and a position is that of the first of the batches that are read together.
Result<EvaluationPass> AddPass(const JobSpec& spec, const Graph& model, const PassRequest& request,
                               const SubgraphMap& shared, const std::string& device, Graph& graph);

// The inputs that a pass reads, by their place in JobSpec::inputs.
Result<std::vector<size_t>> InputsOf(const JobSpec& spec, const Graph& model, const PassRequest& request);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_EVALUATION_H_
