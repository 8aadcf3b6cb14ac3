#include "jobs/plan/step_forecast.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>

#include "jobs/plan/task_times.h"
#include "src/graph/control_flow.h"
#include "src/graph/trip_counts.h"
#include "src/placement/gathered_rows.h"
#include "src/plan/step_bound.h"

namespace dfrun::jobs {
namespace {

// Makes a task of each node of all partitions, and joins them by their edges and channels.
class TasksOfParts {
 public:
  TasksOfParts(const std::vector<const Partition*>& partitions, const Cluster& cluster, const CostTable& costs,
               int ranks_per_node, const StepBinding& binding)
      : partitions_(partitions), cluster_(cluster), costs_(costs), binding_(binding), times_(cluster, costs) {
    step_.num_types = static_cast<int>(times_.types().size());
    step_.ranks_per_node = ranks_per_node;
    for (const PairClass pair : kPairClasses) step_.pairs[static_cast<size_t>(pair)] = costs.Pair(pair);
  }

  StepForecast Run() {
    for (const Partition* const partition : partitions_) FindTripCounts(partition->graph, forecast_.loops);
    for (const Partition* const partition : partitions_) AddTasks(*partition);
    AddMessages();
    AddOutputs();
    forecast_.step = PlacedStep(step_, device_of_).Describe();
    StepUnits units = UnitsOfParts(partitions_, cluster_, costs_, step_.ranks_per_node, WorkOfTasks(), binding_);
    units.fastest_s = std::move(fastest_s_);
    forecast_.bound = BoundOfStep(step_, units);
    return std::move(forecast_);
  }

 private:
  // The messages of a task, where it is a Send.
  struct Sent {
    double bytes = 0;
    double times = 1;
  };

  void AddTasks(const Partition& partition) {
    const Graph& graph = partition.graph;
    forecast_.has_loops = forecast_.has_loops || HasControlFlow(graph);
    const Result<DeviceName> name = DeviceName::Parse(partition.device);
    const std::string type = name.ok() ? name->type.value_or("") : "";
    const int device = DeviceOf(partition, type);
    const int first = step_.num_tasks();
    const std::vector<NodeRuns> runs = CountRuns(graph, forecast_.loops);
    for (const Node& node : graph.nodes()) {
      const int task = first + node.id;
      const NodeRuns& of_node = runs[node.id];
      const double here_s = times_.On(type, graph, node);
      const std::vector<double> by_type = times_.ByType(graph, node, type, here_s);
      fastest_s_.push_back(*std::min_element(by_type.begin(), by_type.end()));
      for (const double seconds : by_type) work_s_.push_back(seconds * (of_node.is_exact ? of_node.times : 1));
      for (size_t of = 0; of < by_type.size(); ++of)
        step_.seconds.push_back(times_.types()[of] == type ? here_s * of_node.times : StepGraph::kNever);
      step_.state_bytes.push_back(0);
      step_.scopes.push_back(0);
      sent_.push_back({.bytes = 0, .times = of_node.times});
      device_of_.push_back(device);
      for (const Output input : node.inputs) {
        if (input.valid() && input.node != node.id) AddEdge(first, graph.node(input.node), task);
      }
      for (const NodeId input : node.control_inputs) AddEdge(first, graph.node(input), task);
      AddEnd(graph, node, task);
    }
  }

  // By task the times by type of all of its runs.
  std::vector<std::vector<double>> WorkOfTasks() const {
    std::vector<std::vector<double>> work;
    const auto types = static_cast<std::ptrdiff_t>(step_.num_types);
    for (auto begin = work_s_.begin(); begin != work_s_.end(); begin += types) work.emplace_back(begin, begin + types);
    return work;
  }

  // The number of the partition's device. Parts of steps that run beside each other share devices.
  int DeviceOf(const Partition& partition, const std::string& type) {
    const auto [number, is_new] = devices_.try_emplace(partition.device, static_cast<int>(step_.devices.size()));
    if (is_new) {
      const auto of_type = std::find(times_.types().begin(), times_.types().end(), type) - times_.types().begin();
      step_.devices.push_back({.rank = partition.rank, .type = static_cast<int>(of_type)});
      step_.num_ranks = std::max(step_.num_ranks, partition.rank + 1);
      forecast_.devices.push_back(partition.device);
    }
    return number->second;
  }

  // The edge back to the begin of a loop's next turn is none of this turn. `first`: the task of the graph's node 0.
  void AddEdge(int first, const Node& source, int to) {
    if (source.op->traits.control_flow == ControlFlowKind::kNextIteration) return;
    edges_.emplace_back(first + source.id, to);
  }

  void AddEnd(const Graph& graph, const Node& node, int task) {
    if (const auto sent = ChannelOf(node, Boundary::kSend)) {
      if (!node.inputs.empty() && node.inputs[0].valid())
        sent_[task].bytes = static_cast<double>(std::max<int64_t>(BytesOf(graph, node.inputs[0]), 0));
      sends_[*sent] = task;
    } else if (const auto received = ChannelOf(node, Boundary::kRecv)) {
      receives_.emplace_back(*received, task);
    }
  }

  // A Recv waits for its Send, which is on another device.
  void AddMessages() {
    for (const auto& [channel, to] : receives_) {
      const auto send = sends_.find(channel);
      if (send != sends_.end()) edges_.emplace_back(send->second, to);
    }
  }

  // Gives each task that others wait for an output. Only those of Sends are read on another device.
  void AddOutputs() {
    std::stable_sort(edges_.begin(), edges_.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    auto edge = edges_.begin();
    for (int task = 0; task < step_.num_tasks(); ++task) {
      step_.first_output.push_back(static_cast<int>(step_.outputs.size()));
      if (edge == edges_.end() || edge->first != task) continue;
      step_.outputs.push_back({.task = task, .bytes = sent_[task].bytes, .times = sent_[task].times});
      step_.first_reader.push_back(static_cast<int>(step_.readers.size()));
      for (; edge != edges_.end() && edge->first == task; ++edge) step_.readers.push_back(edge->second);
    }
    step_.first_output.push_back(static_cast<int>(step_.outputs.size()));
    step_.first_reader.push_back(static_cast<int>(step_.readers.size()));
    step_.SetInputs();
  }

  const std::vector<const Partition*>& partitions_;
  const Cluster& cluster_;
  const CostTable& costs_;
  const StepBinding& binding_;
  TaskTimes times_;
  StepGraph step_;
  std::vector<int> device_of_;                     // by task
  std::vector<Sent> sent_;                         // by task
  std::vector<double> fastest_s_;                  // by task
  std::vector<double> work_s_;                     // by task and type: all runs that are certain
  std::vector<std::pair<int, int>> edges_;         // from one task to another
  std::map<std::string, int> devices_;             // by name
  std::unordered_map<int64_t, int> sends_;         // by channel
  std::vector<std::pair<int64_t, int>> receives_;  // channel and task
  StepForecast forecast_;
};

}  // namespace

StepForecast ForecastStep(const std::vector<const Partition*>& partitions, const Cluster& cluster,
                          const CostTable& costs, int ranks_per_node, const StepBinding& binding) {
  return TasksOfParts(partitions, cluster, costs, ranks_per_node, binding).Run();
}

}  // namespace dfrun::jobs
