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

// The message of a Send; a task that sends nothing has none.
struct Sent {
  double bytes = 0;
  double times = 1;
};

// A Send or Recv.
struct ChannelEnd {
  const Node* node;
  int64_t channel;
};

// The tasks of a partition, on whichever device of one type. They count from 0.
struct PartTasks {
  std::string type;
  std::vector<double> seconds;             // by task and type of device
  std::vector<double> fastest_s;           // by task
  std::vector<double> work_s;              // by task and type: all runs that are certain
  std::vector<Sent> sent;                  // by task
  std::vector<std::pair<int, int>> edges;  // from one task to another
  std::vector<ChannelEnd> sends;
  std::vector<ChannelEnd> receives;
};

// Makes a task of each node of all parts, and joins them by their edges and channels.
class TasksOfParts {
 public:
  TasksOfParts(const std::vector<PlannedPart>& parts, const Cluster& cluster, const CostTable& costs,
               int ranks_per_node, const StepBinding& binding)
      : parts_(parts), cluster_(cluster), costs_(costs), binding_(binding), times_(cluster, costs) {
    step_.num_types = static_cast<int>(times_.types().size());
    step_.ranks_per_node = ranks_per_node;
    for (const PairClass pair : kPairClasses) step_.pairs[static_cast<size_t>(pair)] = costs.Pair(pair);
  }

  StepForecast Run() {
    for (const PlannedPart& part : parts_) {
      if (part.copies == nullptr) FindTripCounts(part.graph(), forecast_.loops);
    }
    for (const PlannedPart& part : parts_) AddLoopsOfCopy(part);
    Reserve();
    for (const PlannedPart& part : parts_) AddTasks(part);
    AddMessages();
    AddOutputs();
    forecast_.step = PlacedStep(step_, device_of_).Describe();
    StepUnits units = UnitsOfParts(parts_, cluster_, costs_, step_.ranks_per_node, work_s_, binding_);
    units.fastest_s = std::move(fastest_s_);
    forecast_.bound = BoundOfStep(step_, units);
    return std::move(forecast_);
  }

 private:
  // A copy's loops go round as often as those of the part.
  void AddLoopsOfCopy(const PlannedPart& part) {
    if (part.copies == nullptr) return;
    for (const auto& [frame, name] : part.copies->frames) {
      const auto found = forecast_.loops.find(frame);
      if (found != forecast_.loops.end()) forecast_.loops.emplace(name.OfCopy(part.copy), found->second);
    }
  }

  void Reserve() {
    size_t tasks = 0;
    for (const PlannedPart& part : parts_) tasks += static_cast<size_t>(part.graph().num_nodes());
    const auto types = static_cast<size_t>(step_.num_types);
    step_.seconds.reserve(tasks * types);
    work_s_.reserve(tasks * types);
    fastest_s_.reserve(tasks);
    sent_.reserve(tasks);
    device_of_.reserve(tasks);
    edges_.reserve(2 * tasks);
  }

  void AddTasks(const PlannedPart& part) {
    const auto [found, is_new] = tasks_.try_emplace(part.partition);
    if (is_new) {
      const Result<DeviceName> name = DeviceName::Parse(part.partition->device);
      found->second = TasksOf(part.graph(), name.ok() ? name->type.value_or("") : "");
    }
    const PartTasks& tasks = found->second;
    const int device = DeviceOf(part, tasks.type);
    const int first = step_.num_tasks();
    const auto append = [](const auto& from, auto& to) { to.insert(to.end(), from.begin(), from.end()); };
    append(tasks.seconds, step_.seconds);
    append(tasks.fastest_s, fastest_s_);
    append(tasks.work_s, work_s_);
    append(tasks.sent, sent_);
    const size_t end = sent_.size();
    step_.state_bytes.resize(end, 0);
    step_.scopes.resize(end, 0);
    device_of_.resize(end, device);
    for (const auto& [from, to] : tasks.edges) edges_.emplace_back(first + from, first + to);
    for (const ChannelEnd& send : tasks.sends) {
      const auto channel = static_cast<size_t>(part.ChannelOf(*send.node, send.channel));
      if (channel >= sends_.size()) sends_.resize(channel + 1, kNone);
      sends_[channel] = first + send.node->id;
    }
    for (const ChannelEnd& receive : tasks.receives)
      receives_.emplace_back(part.ChannelOf(*receive.node, receive.channel), first + receive.node->id);
  }

  PartTasks TasksOf(const Graph& graph, const std::string& type) {
    PartTasks tasks;
    tasks.type = type;
    forecast_.has_loops = forecast_.has_loops || HasControlFlow(graph);
    const std::vector<NodeRuns> runs = CountRuns(graph, forecast_.loops);
    for (const Node& node : graph.nodes()) {
      const NodeRuns& of_node = runs[node.id];
      const double here_s = times_.On(type, graph, node);
      const std::vector<double> by_type = times_.ByType(graph, node, type, here_s);
      tasks.fastest_s.push_back(*std::min_element(by_type.begin(), by_type.end()));
      for (const double seconds : by_type) tasks.work_s.push_back(seconds * (of_node.is_exact ? of_node.times : 1));
      for (size_t of = 0; of < by_type.size(); ++of)
        tasks.seconds.push_back(times_.types()[of] == type ? here_s * of_node.times : StepGraph::kNever);
      tasks.sent.push_back({.bytes = 0, .times = of_node.times});
      for (const Output input : node.inputs) {
        if (input.valid() && input.node != node.id) AddEdge(graph.node(input.node), node.id, tasks);
      }
      for (const NodeId input : node.control_inputs) AddEdge(graph.node(input), node.id, tasks);
      AddEnd(graph, node, tasks);
    }
    return tasks;
  }

  // The number of the part's device. Parts of steps that run beside each other share devices.
  int DeviceOf(const PlannedPart& part, const std::string& type) {
    const auto [number, is_new] = devices_.try_emplace(part.device, static_cast<int>(step_.devices.size()));
    if (is_new) {
      const auto of_type = std::find(times_.types().begin(), times_.types().end(), type) - times_.types().begin();
      step_.devices.push_back({.rank = part.rank, .type = static_cast<int>(of_type)});
      step_.num_ranks = std::max(step_.num_ranks, part.rank + 1);
      forecast_.devices.push_back(part.device);
    }
    return number->second;
  }

  // The edge back to the begin of a loop's next turn is none of this turn.
  static void AddEdge(const Node& source, int to, PartTasks& tasks) {
    if (source.op->traits.control_flow == ControlFlowKind::kNextIteration) return;
    tasks.edges.emplace_back(source.id, to);
  }

  static void AddEnd(const Graph& graph, const Node& node, PartTasks& tasks) {
    if (const auto sent = ChannelOf(node, Boundary::kSend)) {
      if (!node.inputs.empty() && node.inputs[0].valid())
        tasks.sent.back().bytes = static_cast<double>(std::max<int64_t>(BytesOf(graph, node.inputs[0]), 0));
      tasks.sends.push_back({&node, *sent});
    } else if (const auto received = ChannelOf(node, Boundary::kRecv)) {
      tasks.receives.push_back({&node, *received});
    }
  }

  // A Recv waits for its Send, which is on another device.
  void AddMessages() {
    for (const auto& [channel, to] : receives_) {
      const auto number = static_cast<size_t>(channel);
      if (number < sends_.size() && sends_[number] != kNone) edges_.emplace_back(sends_[number], to);
    }
  }

  // Gives each task that others wait for an output. Only those of Sends are read on another device.
  void AddOutputs() {
    const auto tasks = static_cast<size_t>(step_.num_tasks());
    std::vector<int> next(tasks + 1, 0);  // by task: where its next reader comes
    for (const auto& [from, to] : edges_) ++next[static_cast<size_t>(from) + 1];
    for (size_t task = 0; task < tasks; ++task) next[task + 1] += next[task];
    for (size_t task = 0; task < tasks; ++task) {
      step_.first_output.push_back(static_cast<int>(step_.outputs.size()));
      if (next[task] == next[task + 1]) continue;
      step_.outputs.push_back({.task = static_cast<int>(task), .bytes = sent_[task].bytes, .times = sent_[task].times});
      step_.first_reader.push_back(next[task]);
    }
    step_.first_output.push_back(static_cast<int>(step_.outputs.size()));
    step_.first_reader.push_back(static_cast<int>(edges_.size()));
    step_.readers.resize(edges_.size());
    for (const auto& [from, to] : edges_) step_.readers[static_cast<size_t>(next[static_cast<size_t>(from)]++)] = to;
    step_.SetInputs();
  }

  static constexpr int kNone = -1;

  const std::vector<PlannedPart>& parts_;
  const Cluster& cluster_;
  const CostTable& costs_;
  const StepBinding& binding_;
  TaskTimes times_;
  StepGraph step_;
  std::unordered_map<const Partition*, PartTasks> tasks_;
  std::vector<int> device_of_;                     // by task
  std::vector<Sent> sent_;                         // by task
  std::vector<double> fastest_s_;                  // by task
  std::vector<double> work_s_;                     // by task and type
  std::vector<std::pair<int, int>> edges_;         // from one task to another
  std::unordered_map<std::string, int> devices_;   // by name
  std::vector<int> sends_;                         // by channel
  std::vector<std::pair<int64_t, int>> receives_;  // channel and task
  StepForecast forecast_;
};

}  // namespace

StepForecast ForecastStep(const std::vector<PlannedPart>& parts, const Cluster& cluster, const CostTable& costs,
                          int ranks_per_node, const StepBinding& binding) {
  return TasksOfParts(parts, cluster, costs, ranks_per_node, binding).Run();
}

}  // namespace dfrun::jobs
