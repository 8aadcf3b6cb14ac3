// A Model is what a command line names as its subject: a spec, or a graph in the public format.
#ifndef DFRUN_JOBS_MODEL_H_
#define DFRUN_JOBS_MODEL_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/graph/graph_def/meta_graph.h"
#include "src/placement/cluster.h"
#include "src/spec/load.h"

namespace dfrun::jobs {

struct Model {
  Graph graph;
  std::optional<JobSpec> job;                                           // set for a spec
  std::vector<JobTasks> tasks;                                          // assignment of ranks to tasks
  std::map<std::string, std::vector<Output>, std::less<>> values = {};  // LoadedSpec::values
  std::optional<MetaGraph> meta = {};                                   // set for a MetaGraph or SavedModel
  // Signature of `meta` that is called; may be empty
  std::string signature = {};
  // Devices of the cluster, as far as they are given
  DeviceCounts device_counts = {};
  // For a spec: what else LoadSpec() gives, LoadedSpec::training and those after it
  bool training = false;
  std::shared_ptr<const LoadedSpec> other = {};
  Status sections = {};
  std::vector<std::string> mode_feeds = {};
  std::vector<std::string> files = {};  // LoadedSpec::files
  std::string printed = {};             // LoadedSpec::printed

  // Takes the spec out of the model of one.
  LoadedSpec TakeSpec();

  // Returns the output to fetch for "name" or "name:port". The name is a result of the signature, a value of the spec,
  // or an output of the graph. NotFound or InvalidArgument for other texts.
  Result<Output> ParseOutput(const std::string& text) const;
  // Returns the output to feed. The name is an argument of the signature, or otherwise as in ParseOutput().
  Result<Output> ParseInput(const std::string& text) const;

  // Returns the least number of ranks that has every task that `tasks` and the devices of nodes name.
  int RanksNeeded() const;
};

struct ModelOptions {
  std::string path;
  std::vector<std::string> sets;    // values for a spec's params
  std::vector<std::string> tags;    // tags of the wanted graph of a SavedModel
  int ranks = 0;                    // ranks of the run; 0: not known
  DeviceCounts device_counts = {};  // override those of the spec's cluster
  // The form of a spec's model: that of evaluations, that of training, or that which the steps of the job run.
  enum class Form { kEvaluation, kTraining, kJob };
  Form form = Form::kEvaluation;
  std::vector<std::string> feeds = {};  // SpecOptions::feeds
  bool prints = false;                  // whether Model::printed is wanted
};

// Loads a model. Specs end in .yaml or .yml; everything else is read by ReadGraphFile(). Calls of the graph library's
// functions stay calls.
Result<Model> LoadModel(const ModelOptions& options);

// Loads a model as it runs: function calls are replaced by the functions' nodes.
Result<Model> LoadRunnable(const ModelOptions& options);

// Chooses the signature by which a model is called: `name`; if that is empty, serving_default, or else the only
// signature, or else none. Usage error if there is no signature of that name, or if the graph lacks a tensor that it
// names.
Status ChooseSignature(const std::string& name, Model& model);
// Returns the signatures of a model, one per line; an empty text if it has none.
std::string ListSignatures(const Model& model);

// Loads a file that must be a spec, whatever its name ends in.
Result<Model> LoadSpecModel(const ModelOptions& options);

// The help of --set.
inline constexpr const char* kSetHelp =
    "key=value: another value for one of the spec's params, or for a key by its path, as train.steps=5";

bool IsSpec(const std::string& path);

// Returns BadSpec for a file whose content shows that it is no text, with what it is and what reads it.
Status CheckMayBeSpec(const std::string& path);

// Returns the jobs that the device names of a graph mention, by name, each with the tasks that it needs. `worker`, or
// else the last job, takes the remaining ranks. If there are none, every rank is a worker.
std::vector<JobTasks> TasksOfDevices(const Graph& graph);

// Returns the nodes whose outputs no node reads.
std::vector<NodeId> Sinks(const Graph& graph);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_MODEL_H_
