#include "jobs/plan/step_forecast.h"

#include <algorithm>
#include <utility>

#include "jobs/plan/task_times.h"
#include "src/graph/control_flow.h"
#include "src/graph/trip_counts.h"
#include "src/placement/gathered_rows.h"
#include "src/plan/step_bound.h"

namespace dfrun::jobs {
namespace {

// Numbers the nodes of all partitions as tasks, and joins them by their edges and channels.
class TasksOfParts {
 public:
  TasksOfParts(const std::vector<const Partition*>& partitions, const Cluster& cluster, const CostTable& costs,
               int ranks_per_node, const StepBinding& binding)
      : partitions_(partitions),
        cluster_(cluster),
        costs_(costs),
        ranks_per_node_(ranks_per_node),
        binding_(binding),
        times_(cluster, costs) {}

  StepForecast Run() {
    for (const Partition* const partition : partitions_) FindTripCounts(partition->graph, forecast_.loops);
    for (const Partition* const partition : partitions_) AddTasks(*partition);
    AddMessages();
    forecast_.step = SimulateStep(tasks_);
    forecast_.bound =
        BoundOfStep(tasks_, UnitsOfParts(partitions_, cluster_, costs_, ranks_per_node_, WorkOfTasks(), binding_));
    return std::move(forecast_);
  }

 private:
  struct End {
    int task = 0;
    int rank = 0;
    int64_t bytes = 0;
    double runs = 1;
  };

  void AddTasks(const Partition& partition) {
    const Graph& graph = partition.graph;
    const int device = DeviceOf(partition);
    tasks_.ports = std::max(tasks_.ports, 2 * (partition.rank + 1));
    forecast_.has_loops = forecast_.has_loops || HasControlFlow(graph);
    const Result<DeviceName> name = DeviceName::Parse(partition.device);
    const std::string type = name.ok() ? name->type.value_or("") : "";
    const auto first = static_cast<int>(tasks_.tasks.size());
    const std::vector<NodeRuns> runs = CountRuns(graph, forecast_.loops);
    tasks_.readers.resize(tasks_.readers.size() + static_cast<size_t>(graph.num_nodes()));
    for (const Node& node : graph.nodes()) {
      const int task = first + node.id;
      const double here_s = times_.On(type, graph, node);
      const std::vector<double>& by_type = seconds_.emplace_back(times_.ByType(graph, node, type, here_s));
      const NodeRuns& of_node = runs[node.id];
      tasks_.tasks.push_back({.device = device,
                              .seconds = here_s * of_node.times,
                              .fastest_s = *std::min_element(by_type.begin(), by_type.end())});
      runs_.push_back(of_node.is_exact ? of_node.times : 1);
      for (const Output input : node.inputs) {
        if (input.valid() && input.node != node.id) AddEdge(first, graph.node(input.node), task);
      }
      for (const NodeId input : node.control_inputs) AddEdge(first, graph.node(input), task);
      AddEnd(graph, node, {task, partition.rank, 0, of_node.times});
    }
  }

  // The times by type of all runs of each task.
  std::vector<std::vector<double>> WorkOfTasks() const {
    std::vector<std::vector<double>> work = seconds_;
    for (size_t task = 0; task < work.size(); ++task) {
      for (double& seconds : work[task]) seconds *= runs_[task];
    }
    return work;
  }

  // The number of the partition's device. Parts of steps that run beside each other share devices.
  int DeviceOf(const Partition& partition) {
    const auto [number, is_new] = devices_.try_emplace(partition.device, tasks_.devices);
    if (is_new) {
      ++tasks_.devices;
      forecast_.devices.push_back(partition.device);
    }
    return number->second;
  }

  // The edge back to the begin of a loop's next turn is none of this turn. `first`: the task of the graph's node 0.
  void AddEdge(int first, const Node& source, int to) {
    if (source.op->traits.control_flow == ControlFlowKind::kNextIteration) return;
    tasks_.readers[first + source.id].push_back(to);
  }

  void AddEnd(const Graph& graph, const Node& node, End end) {
    if (const auto sent = ChannelOf(node, Boundary::kSend)) {
      if (!node.inputs.empty() && node.inputs[0].valid())
        end.bytes = std::max<int64_t>(BytesOf(graph, node.inputs[0]), 0);
      sends_[*sent] = end;
    } else if (const auto received = ChannelOf(node, Boundary::kRecv)) {
      receives_[*received].push_back(end);
    }
  }

  void AddMessages() {
    for (const auto& [channel, ends] : receives_) {
      const auto send = sends_.find(channel);
      if (send == sends_.end()) continue;
      for (const End& to : ends) AddMessage(send->second, to);
    }
  }

  void AddMessage(const End& from, const End& to) {
    const PairClass pair = PairOf(from.rank, to.rank);
    const PairSpeed speed = costs_.Pair(pair);
    const bool is_own = pair == PairClass::kSameProcess;
    const double copy_s = from.runs * static_cast<double>(from.bytes) / speed.bytes_per_s;
    // Between processes of a host the one that gets a value copies it.
    const bool is_copied = pair == PairClass::kSameHost;
    tasks_.messages.push_back({.from = from.task,
                               .to = to.task,
                               .port = 2 * from.rank + (is_own ? 1 : 0),
                               .port_s = is_copied ? 0 : copy_s,
                               .latency_s = from.runs * speed.latency_s,
                               .receive_s = is_copied ? copy_s : 0});
    const auto times = static_cast<int64_t>(from.runs);
    LinkUse& use = forecast_.links[pair];
    use.messages += times;
    use.bytes += times * from.bytes;
  }

  PairClass PairOf(int a, int b) const {
    if (a == b) return PairClass::kSameProcess;
    return a / ranks_per_node_ == b / ranks_per_node_ ? PairClass::kSameHost : PairClass::kNetwork;
  }

  const std::vector<const Partition*>& partitions_;
  const Cluster& cluster_;
  const CostTable& costs_;
  const int ranks_per_node_;
  const StepBinding& binding_;
  TaskTimes times_;
  StepTasks tasks_;
  std::map<std::string, int> devices_;            // by name
  std::vector<double> runs_;                      // by task: those that are certain
  std::vector<std::vector<double>> seconds_;      // by task: times by type of device
  std::map<int64_t, End> sends_;                  // by channel
  std::map<int64_t, std::vector<End>> receives_;  // by channel
  StepForecast forecast_;
};

}  // namespace

StepForecast ForecastStep(const std::vector<const Partition*>& partitions, const Cluster& cluster,
                          const CostTable& costs, int ranks_per_node, const StepBinding& binding) {
  return TasksOfParts(partitions, cluster, costs, ranks_per_node, binding).Run();
}

}  // namespace dfrun::jobs
