// The graph of a prediction: the values that are fetched, a row a sample, over all samples of the inputs that they
// read. Each worker has a copy of the model and computes every n-th batch.
#ifndef DFRUN_SRC_TRAINING_PREDICTION_H_
#define DFRUN_SRC_TRAINING_PREDICTION_H_

#include <optional>
#include <string>
#include <vector>

#include "src/placement/cluster.h"
#include "src/spec/job_spec.h"
#include "src/training/job_graph.h"
#include "src/training/spec_evaluation.h"

namespace dfrun {

// The values to predict, in terms of a spec's graph.
struct PredictionRequest {
  std::vector<FedOutput> feeds;
  SpecEvaluation wanted;
};

// Facts that decide how the samples may be cut.
struct PredictionFacts {
  int64_t samples = 0;
  int64_t own_batch = 0;  // that of the input that is read
  // Why a row may depend on the batch that it is computed in, for a message; empty: it does not, and batches of any
  // size give equal bits.
  std::string mixer;
  // A node that draws random numbers or has another state of its own; -1: there is none. With one the steps run in one
  // order, on one rank.
  NodeId changing = -1;
  // A node whose device is bound to a task, so that there can be no copies; -1: there is none.
  NodeId bound = -1;
};

// The largest batch that stands for `batch: all` where no size is asked for.
inline constexpr int64_t kMaxSamplesOfAll = 1024;

// Finds out about a request. Usage error where no input is read; InvalidArgument where two inputs are read that differ
// in their samples.
Result<PredictionFacts> FindPredictionFacts(const JobSpec& job, const PredictionRequest& request, const Graph& graph);

// The rows of a fetch.
struct PredictedRows {
  std::string name;
  DType dtype = DType::kInvalid;
  PartialShape shape;                    // that of one row
  FetchRows rows = FetchRows::kUnknown;  // kUnknown: the values will show whether they have a row a sample
};

// A worker's copy of the model.
struct PredictionPart {
  std::string device;           // a constraint; empty: none
  JobStep batch;                // feeds the position
  std::optional<JobStep> rest;  // the last batch, if it is a shorter one; part 0 alone has it
};

struct Prediction {
  int64_t samples = 0;  // all of them
  int64_t begin = 0;    // the first to compute
  int64_t batch = 0;
  std::vector<PredictedRows> fetches;
  std::vector<PredictionPart> parts;
  RunSignature spread;  // gives the parts' copies of variables their values; without targets: there are none
};

// Adds to the spec's graph the copies of the model for the devices of `workers`, one a device, which compute samples
// from `begin` on in batches of `batch`. Variables are copied to each worker. Without workers there is one copy without
// constraints. InvalidArgument where the graph does not allow that batch.
Result<Prediction> AddPrediction(const JobSpec& job, const PredictionRequest& request, int64_t batch, int64_t begin,
                                 const std::vector<std::string>& workers, Graph& graph);

// The place of a fetch's rows in a file.
struct RowsInFile {
  std::string path;
  int64_t offset = 0;  // first byte
};

// Lets each part write its rows into files: its steps then fetch how many they have written.
Status AddRowWriters(const std::vector<RowsInFile>& files, Prediction& prediction, Graph& graph);
// Adds nodes that bring the file to the disk, one a part.
Result<RunSignature> AddFileSyncs(const std::string& path, const Prediction& prediction, Graph& graph);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_PREDICTION_H_
