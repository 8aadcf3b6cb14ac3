#include "src/plan/build_step_graph.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "src/costs/predict.h"
#include "src/framework/kernel/kernel_registry.h"
#include "src/graph/control_flow.h"
#include "src/graph/order/live_values.h"
#include "src/graph/trip_counts.h"
#include "src/placement/feasible_devices.h"
#include "src/placement/gathered_rows.h"
#include "src/placement/kernel_index.h"
#include "src/plan/step_groups.h"

namespace dfrun {
namespace {

// The size of the value that stands for a control edge between devices.
constexpr double kTokenBytes = 1;

// Sends and receives are nodes of the executor, each with an edge.
void SetCosts(const CostTable& costs, StepGraph& graph) {
  for (const PairClass pair : kPairClasses) graph.pairs[static_cast<size_t>(pair)] = costs.Pair(pair);
  const ExecutorSpeed executor = costs.Executor();
  graph.send_s = executor.node_s + executor.edge_s;
  graph.receive_s = executor.node_s + executor.edge_s;
}

class StepGraphBuilder {
 public:
  StepGraphBuilder(const Graph& placed, const Cluster& cluster, const StepGraphOptions& options)
      : placed_(placed),
        cluster_(cluster),
        options_(options),
        types_(TypesOf(cluster)),
        kernels_(KernelRegistry::Builtin(), types_) {}

  Result<PlacedGraph> Build() {
    made_.task_of.assign(static_cast<size_t>(placed_.num_nodes()), -1);
    AddDevices();
    TripCounts loops;
    FindTripCounts(placed_, loops);
    runs_ = CountRuns(placed_, loops);
    SetCosts(*options_.costs, made_.graph);
    for (const Node& node : placed_.nodes()) {
      if (!IsConstant(node)) DF_TRY(AddTask(node));
    }
    FindReaders();
    for (const NodeId id : made_.nodes) AddOutputs(placed_.node(id));
    made_.graph.first_output.push_back(static_cast<int>(made_.graph.outputs.size()));
    made_.graph.first_reader.push_back(static_cast<int>(made_.graph.readers.size()));
    made_.graph.SetInputs();
    return std::move(made_);
  }

  const KernelIndex& kernels() const { return kernels_; }

 private:
  struct Reader {
    int task;
    bool is_local;
  };
  // The readers of an output, or of the end of a node, by its port; -1: control edges.
  using Readers = std::map<int32_t, std::vector<Reader>>;

  // Each device has a constant of its own, before the step.
  static bool IsConstant(const Node& node) { return node.op->name == "Const" && node.control_inputs.empty(); }

  void AddDevices() {
    StepGraph& graph = made_.graph;
    graph.num_types = static_cast<int>(types_.size());
    for (const ClusterDevice& device : cluster_.devices) {
      const auto type = std::find(types_.begin(), types_.end(), *device.name.type) - types_.begin();
      const int64_t most = LimitOfType(options_.limits, *device.name.type, device.memory_bytes);
      index_of_[device.name.ToString()] = static_cast<int>(graph.devices.size());
      graph.devices.push_back({device.rank, static_cast<int>(type), most});
      graph.num_ranks = std::max(graph.num_ranks, device.rank + 1);
    }
    graph.ranks_per_node = options_.ranks_per_node > 0 ? options_.ranks_per_node : graph.num_ranks;
  }

  Status AddTask(const Node& node) {
    const auto device = index_of_.find(node.device);
    if (device == index_of_.end())
      return InvalidArgument(placed_.Describe(node.id), " is on '", node.device, "', which the job has not");
    StepGraph& graph = made_.graph;
    made_.task_of[static_cast<size_t>(node.id)] = static_cast<int>(made_.nodes.size());
    made_.nodes.push_back(node.id);
    made_.device_of.push_back(device->second);
    const double own_s = ExecutorTime(node, *options_.costs);
    const DeviceTypes can = kernels_.TypesFor(node);
    for (size_t type = 0; type < types_.size(); ++type) {
      const bool is_there =
          (can >> type & 1) != 0 || static_cast<int>(type) == graph.devices[static_cast<size_t>(device->second)].type;
      graph.seconds.push_back(is_there ? TimesOf(node.id) *
                                             (own_s + NodeTime(placed_, node, types_[type], *options_.costs).seconds)
                                       : StepGraph::kNever);
    }
    graph.state_bytes.push_back(node.op->traits.is_variable ? Bytes({node.id, 0}) : 0);
    const size_t slash = node.name.rfind('/');
    const auto scope = scopes_.emplace(node.name.substr(0, slash == std::string::npos ? 0 : slash), scopes_.size());
    graph.scopes.push_back(static_cast<int>(scope.first->second));
    return Status();
  }

  // How often the node runs in a step.
  double TimesOf(NodeId node) const {
    const NodeRuns& runs = runs_[static_cast<size_t>(node)];
    return runs.is_exact ? runs.times : 1;
  }

  double Bytes(Output output) const { return static_cast<double>(std::max<int64_t>(BytesOf(placed_, output), 0)); }

  void FindReaders() {
    readers_.resize(made_.nodes.size());
    for (const NodeId id : made_.nodes) {
      const Node& node = placed_.node(id);
      for (const Output input : node.inputs) {
        if (input.valid()) Note(input.node, input.port, node);
      }
      for (const NodeId input : node.control_inputs) Note(input, -1, node);
    }
  }

  void Note(NodeId source, int32_t port, const Node& reader) {
    const int from = made_.task_of[static_cast<size_t>(source)];
    // The edge back to the begin of a loop's next turn is none of this turn.
    const bool is_back = placed_.node(source).op->traits.control_flow == ControlFlowKind::kNextIteration;
    if (from < 0 || source == reader.id || is_back) return;
    const int task = made_.task_of[static_cast<size_t>(reader.id)];
    std::vector<Reader>& readers = readers_[static_cast<size_t>(from)][port];
    const bool is_there = !readers.empty() && readers.back().task == task;
    // An update behind reads elsewhere waits for the Sends of the variable, which come first anyway.
    const bool is_local = port < 0 && reader.attrs.Find("_after_reads") != nullptr;
    if (!is_there) readers.push_back({task, is_local});
  }

  void AddOutputs(const Node& node) {
    StepGraph& graph = made_.graph;
    graph.first_output.push_back(static_cast<int>(graph.outputs.size()));
    const int task = made_.task_of[static_cast<size_t>(node.id)];
    for (const auto& [port, readers] : readers_[static_cast<size_t>(task)]) {
      if (port >= 0) {
        const Output value{node.id, port};
        const bool is_own = OwnerOfBytes(placed_, value) == value;
        const auto held = static_cast<double>(is_own ? BytesOfOutput(placed_, value) : 0);
        AddOutput({task, Bytes(value), held, ViewOf(value), false, TimesOf(node.id)}, readers);
        output_of_[Key(node.id, port)] = static_cast<int>(graph.outputs.size()) - 1;
        continue;
      }
      std::vector<Reader> local;
      std::vector<Reader> other;
      for (const Reader& reader : readers) (reader.is_local ? local : other).push_back(reader);
      if (!other.empty()) AddOutput({task, kTokenBytes, 0, -1, false, TimesOf(node.id)}, other);
      if (!local.empty()) AddOutput({task, 0, 0, -1, true, 1}, local);
    }
  }

  void AddOutput(const StepOutput& output, const std::vector<Reader>& readers) {
    StepGraph& graph = made_.graph;
    graph.outputs.push_back(output);
    graph.first_reader.push_back(static_cast<int>(graph.readers.size()));
    for (const Reader& reader : readers) graph.readers.push_back(reader.task);
  }

  static int64_t Key(NodeId node, int32_t port) { return (static_cast<int64_t>(node) << 16) | port; }

  // The output whose bytes this one shares; -1: it has its own.
  int ViewOf(Output output) const {
    const Output owner = OwnerOfBytes(placed_, output);
    const auto found = output_of_.find(Key(owner.node, owner.port));
    return owner == output || found == output_of_.end() ? -1 : found->second;
  }

  const Graph& placed_;
  const Cluster& cluster_;
  const StepGraphOptions& options_;
  const std::vector<std::string> types_;
  KernelIndex kernels_;
  PlacedGraph made_;
  std::vector<NodeRuns> runs_;  // by node
  std::unordered_map<std::string, int> index_of_;
  std::unordered_map<std::string, size_t> scopes_;
  std::vector<Readers> readers_;                // by task
  std::unordered_map<int64_t, int> output_of_;  // by Key()
};

}  // namespace

Result<PlacedGraph> BuildStepGraph(const Graph& placed, const std::set<std::string, std::less<>>& open,
                                   const Cluster& cluster, const StepGraphOptions& options) {
  DF_ASSIGN(PlacedGraph made, StepGraphBuilder(placed, cluster, options).Build());
  DF_TRY(FindStepGroups(placed, open, cluster, options.keeps_types, made));
  return made;
}

}  // namespace dfrun
