// What a command line names as a model: a spec, or a graph in the public format.
#ifndef DFRUN_JOBS_MODEL_H_
#define DFRUN_JOBS_MODEL_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/placement/cluster.h"
#include "src/spec/load.h"

namespace dfrun::jobs {

struct Model {
  Graph graph;
  std::optional<JobSpec> job;                                           // of a spec
  std::vector<JobTasks> tasks;                                          // how ranks become tasks
  std::map<std::string, std::vector<Output>, std::less<>> values = {};  // LoadedSpec::values

  // "name" or "name:port", as the spec means it, else as the graph does. NotFound, InvalidArgument.
  Result<Output> ParseOutput(const std::string& text) const;

  // The least number of ranks that has every task that `tasks` and the devices of nodes name.
  int RanksNeeded() const;
};

// Specs end in .yaml or .yml; everything else is read as a GraphDef. `sets`: values for a spec's params.
// `ranks`: of the run, 0 where it is not known. What calls functions of the GraphDef's library stays as it is.
Result<Model> LoadModel(const std::string& path, const std::vector<std::string>& sets, int ranks);

// The same, with the nodes of functions in place of those that call them: as it runs.
Result<Model> LoadRunnable(const std::string& path, const std::vector<std::string>& sets, int ranks);

// The same for what must be a spec, whatever it is called.
Result<Model> LoadSpecModel(const std::string& path, const std::vector<std::string>& sets, int ranks);

bool IsSpec(const std::string& path);

// The jobs that the device names of a graph speak of, by name, each with the tasks that it needs; `worker`, or else the
// last, takes the remaining ranks. None: every rank is a worker.
std::vector<JobTasks> TasksOfDevices(const Graph& graph);

// Nodes that nothing reads.
std::vector<NodeId> Sinks(const Graph& graph);

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_MODEL_H_
