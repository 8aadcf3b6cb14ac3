#include "jobs/model.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "src/base/text.h"
#include "src/graph/graph_def.h"
#include "src/passes/functions/lower_functions.h"
#include "src/session/job_graph.h"

namespace dfrun::jobs {
namespace {

// By job: how many tasks the device names of the nodes speak of.
std::map<std::string, int> TasksNamed(const Graph& graph) {
  std::map<std::string, int> named;
  for (const Node& node : graph.nodes()) {
    if (node.device.empty()) continue;
    const Result<DeviceName> name = DeviceName::Parse(node.device);
    if (!name.ok() || !name->job) continue;  // placement says what is wrong with it
    int& tasks = named[*name->job];
    tasks = std::max(tasks, name->task.value_or(0) + 1);
  }
  return named;
}

}  // namespace

bool IsSpec(const std::string& path) {
  const std::string_view view = path;
  const auto ends = [&](std::string_view end) {
    return view.size() >= end.size() && view.substr(view.size() - end.size()) == end;
  };
  return ends(".yaml") || ends(".yml");
}

std::vector<JobTasks> TasksOfDevices(const Graph& graph) {
  std::vector<JobTasks> out;
  for (const auto& [job, tasks] : TasksNamed(graph)) out.push_back({job, tasks});
  if (out.empty()) return out;
  const auto worker = std::find_if(out.begin(), out.end(), [](const JobTasks& t) { return t.job == "worker"; });
  (worker == out.end() ? out.back() : *worker).tasks = JobTasks::kRest;
  return out;
}

Result<Output> Model::ParseOutput(const std::string& text) const {
  const size_t colon = text.rfind(':');
  const auto found = values.find(text.substr(0, colon));
  if (found == values.end()) return graph.ParseOutput(text);
  const std::vector<Output>& outputs = found->second;
  const std::optional<size_t> port =
      colon == std::string::npos ? std::optional<size_t>(0) : ParseAs<size_t>(text.substr(colon + 1));
  if (port && *port < outputs.size()) return outputs[*port];
  if (graph.Find(found->first) >= 0) return graph.ParseOutput(text);
  return NotFound("there is no output '", text, "': '", found->first, "' has ", outputs.size(), " values");
}

int Model::RanksNeeded() const {
  const std::map<std::string, int> named = TasksNamed(graph);
  const auto needed = [&](const std::string& job) { return named.count(job) > 0 ? named.at(job) : 1; };
  if (tasks.empty()) return needed("worker");
  int ranks = 0;
  for (const JobTasks& t : tasks) ranks += t.tasks == JobTasks::kRest ? needed(t.job) : t.tasks;
  return ranks;
}

std::vector<NodeId> Sinks(const Graph& graph) {
  const Consumers consumers = graph.BuildConsumers();
  std::vector<NodeId> out;
  for (const Node& node : graph.nodes()) {
    if (consumers.of(node.id).empty()) out.push_back(node.id);
  }
  return out;
}

Result<Model> LoadSpecModel(const std::string& path, const std::vector<std::string>& sets, int ranks) {
  SpecOptions options;
  options.sets = sets;
  options.ranks = ranks;
  DF_ASSIGN(LoadedSpec spec, LoadSpec(path, options));
  std::vector<JobTasks> tasks = TasksOf(spec.job);
  return Model{std::move(spec.graph), std::move(spec.job), std::move(tasks), std::move(spec.values)};
}

Result<Model> LoadModel(const std::string& path, const std::vector<std::string>& sets, int ranks) {
  if (IsSpec(path)) return LoadSpecModel(path, sets, ranks);
  if (!sets.empty()) return Error(Code::kUsage, "--set is for the params of a spec, and '", path, "' is a graph");
  DF_ASSIGN(Graph graph, ReadGraphDefFile(path));
  std::vector<JobTasks> tasks = TasksOfDevices(graph);
  return Model{std::move(graph), std::nullopt, std::move(tasks)};
}

Result<Model> LoadRunnable(const std::string& path, const std::vector<std::string>& sets, int ranks) {
  DF_ASSIGN(Model model, LoadModel(path, sets, ranks));
  if (!CallsFunctions(model.graph)) return model;
  if (Status status = LowerFunctions(model.graph); !status.ok()) {
    return Error(Code::kBadSpec, path, ": ", status.message());
  }
  model.tasks = TasksOfDevices(model.graph);
  return model;
}

}  // namespace dfrun::jobs
