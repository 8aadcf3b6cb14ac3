// What a command line names as a model: a spec, or a graph in the public format.
#ifndef DFRUN_JOBS_MODEL_H_
#define DFRUN_JOBS_MODEL_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/graph/meta_graph.h"
#include "src/placement/cluster.h"
#include "src/spec/load.h"

namespace dfrun::jobs {

struct Model {
  Graph graph;
  std::optional<JobSpec> job;                                           // of a spec
  std::vector<JobTasks> tasks;                                          // how ranks become tasks
  std::map<std::string, std::vector<Output>, std::less<>> values = {};  // LoadedSpec::values
  std::optional<MetaGraph> meta = {};                                   // of a MetaGraph or SavedModel
  std::string signature = {};                                           // of `meta`, by which it is called; or none
  DeviceCounts device_counts = {};                                      // of the cluster, as far as they are said

  // What is fetched: "name" or "name:port", as the signature calls its results, the spec its values, else as the graph
  // does. NotFound, InvalidArgument.
  Result<Output> ParseOutput(const std::string& text) const;
  // What is fed: as the signature calls its arguments, else the same.
  Result<Output> ParseInput(const std::string& text) const;

  // The least number of ranks that has every task that `tasks` and the devices of nodes name.
  int RanksNeeded() const;
};

struct ModelOptions {
  std::string path;
  std::vector<std::string> sets;    // values for a spec's params
  std::vector<std::string> tags;    // of a graph of a SavedModel
  int ranks = 0;                    // of the run; 0: not known
  DeviceCounts device_counts = {};  // in place of those that a spec's cluster says
};

// Specs end in .yaml or .yml; everything else is read by ReadGraphFile(). What calls functions of the graph's library
// stays as it is.
Result<Model> LoadModel(const ModelOptions& options);

// The same, with the nodes of functions in place of those that call them: as it runs.
Result<Model> LoadRunnable(const ModelOptions& options);

// Chooses the signature by which a model is called: `name`; empty: serving_default, else the only one, else none. Usage
// error where there is none of that name, or a tensor that it names is not in the graph.
Status ChooseSignature(const std::string& name, Model& model);
// The signatures of a model, a line each; empty: it has none.
std::string ListSignatures(const Model& model);

// The same for what must be a spec, whatever it is called.
Result<Model> LoadSpecModel(const ModelOptions& options);

bool IsSpec(const std::string& path);

// BadSpec, with what it is and what reads it, for what its content shows to be no text.
Status CheckMayBeSpec(const std::string& path);

// The jobs that the device names of a graph speak of, by name, each with the tasks that it needs; `worker`, or else the
// last, takes the remaining ranks. None: every rank is a worker.
std::vector<JobTasks> TasksOfDevices(const Graph& graph);

// Nodes that nothing reads.
std::vector<NodeId> Sinks(const Graph& graph);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_MODEL_H_
