// Delays receives as long as possible, so that a value takes no memory before it is needed.
//
// A Recv without control inputs is called when the step begins, and a large one takes its memory then. This pass adds a
// control edge to it from a node of its partition that ends shortly before the first reader begins: early enough for
// the transfer, twice as early where a late value would make the step longer. Source: TensorFlow white paper (2015)
// section 5.2.
//
// Proof that no node waits for ever: take for each node its earliest begin (run_schedule.h), and for each Recv R with a
// new edge S -> R two times: it is called when S ends, and has ended when its readers begin. Two things wait for the
// call of R: its end, for which its readers wait, and the end of its Send, for which the updates of a sent variable
// wait. The pass asks for
//   end of S + transfer <= begin of each reader,   end of S <= begin of each node that waits for the Send,
// so with all new edges together every node can still begin at its time, after all that it waits for. Along a cycle of
// waits times never fall, so they would all be equal; but it would hold a new edge, and so its S, which takes time.
// This holds even if the costs are wrong, since the existence of a cycle does not depend on how long nodes take. By the
// costs the step takes no longer than it did.
//
// The proof does not cover waits without an edge: no S comes behind a node that uses a queue or the like, because its
// wait there could be for R. Left alone are small values, which gain by a receive that is there before they are; values
// that may be dead or whose size is not known; graphs with conditionals and loops; devices with memory of their own.
#include <algorithm>
#include <queue>
#include <unordered_set>
#include <utility>

#include "src/framework/device/device.h"
#include "src/framework/device/device_factory.h"
#include "src/graph/control_flow.h"
#include "src/graph/order/node_order.h"
#include "src/graph/order/participants.h"
#include "src/graph/order/variable_readers.h"
#include "src/passes/graph_rebuilder.h"
#include "src/passes/pass.h"
#include "src/passes/run_schedule.h"

namespace dfrun {
namespace {

// Below it a receive that is posted early gains more than its memory is worth.
constexpr int64_t kMinBytes = int64_t{256} << 10;
// Items that are looked at for one Recv.
constexpr int kMaxSeen = 1000;

bool IsOnHost(const Graph& graph) {
  const Result<DeviceName> device = DeviceName::Parse(graph.node(0).device);
  return device.ok() && device->type == HostDeviceType();
}

// Whether the node may wait for elements that another node puts into an object that both have, as a queue.
bool MayWaitUnseen(const Graph& graph, const Node& node) {
  if (!node.op->is_stateful || IsVariable(node)) return false;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const TypedArg& type = node.input_types[i];
    if ((type.is_ref || type.dtype == DType::kResource) && !IsVariable(graph.node(node.inputs[i].node))) return true;
  }
  return false;
}

// A node that takes time, and whose end is its own.
bool MayBeWaitedFor(const Node& node) {
  return node.num_inputs() > 0 && !IsSend(node) && !IsRecv(node) && !IsParticipant(node);
}

// The large value of a Recv that may come later.
std::optional<int64_t> BytesOfLate(const Node& node) {
  if (!IsRecv(node) || !node.control_inputs.empty()) return {};
  const Result<bool> is_static = node.attrs.Get<bool>("static_shape");
  if (!is_static.ok() || !*is_static) return {};
  const std::optional<int64_t> bytes = StaticBytes(node.output_types[0].dtype, node.output_shapes[0]);
  return bytes >= kMinBytes ? bytes : std::nullopt;
}

// Whether any of the graph's may: for most graphs nothing else has to be found out.
bool MayHaveLate(const Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(),
                     [](const Node& node) { return BytesOfLate(node).has_value(); });
}

class LateReceives {
 public:
  LateReceives(std::span<Graph* const> partitions, const RunSchedule& schedule)
      : partitions_(partitions), schedule_(schedule), waits_unseen_(schedule.order().size()) {
    for (const Graph* graph : partitions) consumers_.push_back(graph->BuildConsumers());
    for (const int32_t item : schedule.order()) waits_unseen_[static_cast<size_t>(item)] = WaitsUnseen(item);
  }

  // The Recvs of a partition, each with the node that it is to wait for.
  std::vector<std::pair<NodeId, NodeId>> Find(int32_t partition) const {
    std::vector<std::pair<NodeId, NodeId>> found;
    for (const Node& node : graph(partition).nodes()) {
      const std::optional<int64_t> bytes = BytesOfLate(node);
      if (!bytes) continue;
      if (const NodeId source = SourceFor(partition, node.id, TransferSeconds(*bytes)); source >= 0) {
        found.emplace_back(node.id, source);
      }
    }
    return found;
  }

 private:
  const Graph& graph(int32_t partition) const { return *partitions_[static_cast<size_t>(partition)]; }

  bool WaitsUnseen(int32_t item) const {
    const RunSchedule::Node at = schedule_.NodeOf(item);
    if (at.partition >= 0 && MayWaitUnseen(graph(at.partition), graph(at.partition).node(at.id))) return true;
    const std::span<const int32_t> before = schedule_.Before(item);
    return std::any_of(before.begin(), before.end(), [&](int32_t b) { return waits_unseen_[static_cast<size_t>(b)]; });
  }

  // Calls visit(item) for each node that waits for the node of this item.
  template <class Visit>
  void ForEachBehind(int32_t item, Visit visit) const {
    const RunSchedule::Node at = schedule_.NodeOf(item);
    for (const Consumers::Edge& edge : consumers_[static_cast<size_t>(at.partition)].of(at.id)) {
      visit(schedule_.ItemOf(at.partition, edge.node));
    }
  }

  // The node that a Recv is to wait for; -1: none.
  NodeId SourceFor(int32_t partition, NodeId id, double transfer) const {
    const int32_t recv = schedule_.ItemOf(partition, id);
    const int32_t send = schedule_.SendOf(recv);
    if (send < 0) return -1;
    int32_t first = -1;  // the first reader
    ForEachBehind(recv, [&](int32_t reader) {
      if (first < 0 || schedule_.Begin(reader) < schedule_.Begin(first)) first = reader;
    });
    if (first < 0) return -1;
    const bool is_critical = schedule_.LatestBegin(recv) - schedule_.Begin(recv) < transfer;
    double latest = schedule_.Begin(first) - (is_critical ? 2 : 1) * transfer;
    ForEachBehind(send, [&](int32_t waiting) { latest = std::min(latest, schedule_.Begin(waiting)); });
    // A source that ends before `transfer` is not worth an edge: without it the memory is held only a little longer.
    return LastBefore(first, partition, transfer, latest);
  }

  // Returns the last node, among those of the partition that run before `reader` in any case and end between the two
  // times.
  NodeId LastBefore(int32_t reader, int32_t partition, double earliest, double latest) const {
    const auto ends_before = [&](int32_t a, int32_t b) { return schedule_.End(a) < schedule_.End(b); };
    std::priority_queue<int32_t, std::vector<int32_t>, decltype(ends_before)> pending(ends_before);
    std::unordered_set<int32_t> seen;
    pending.push(reader);
    while (!pending.empty() && seen.size() < kMaxSeen) {
      const int32_t item = pending.top();
      pending.pop();
      if (!seen.insert(item).second) continue;
      if (schedule_.End(item) < earliest) return -1;
      if (schedule_.End(item) <= latest && IsSource(item, partition)) return schedule_.NodeOf(item).id;
      for (const int32_t before : schedule_.Before(item)) pending.push(before);
    }
    return -1;
  }

  bool IsSource(int32_t item, int32_t partition) const {
    const RunSchedule::Node at = schedule_.NodeOf(item);
    return at.partition == partition && MayBeWaitedFor(graph(partition).node(at.id)) &&
           !waits_unseen_[static_cast<size_t>(item)];
  }

  const std::span<Graph* const> partitions_;
  const RunSchedule& schedule_;
  std::vector<Consumers> consumers_;  // by partition
  std::vector<bool> waits_unseen_;    // by item
};

// Makes the graph anew with each node behind those that it waits for.
Result<Graph> InOrder(Graph& graph) {
  DF_ASSIGN(const std::vector<NodeId> order, graph.TopologicalOrder());
  GraphRebuilder rebuilder = GraphRebuilder::Taking(graph);
  for (const NodeId id : order) rebuilder.Keep(id);
  return rebuilder.Finish();
}

Status DelayReceives(std::span<Graph* const> partitions, const PassContext& /*context*/) {
  if (std::none_of(partitions.begin(), partitions.end(), [](const Graph* g) { return MayHaveLate(*g); })) {
    return Status();
  }
  for (const Graph* graph : partitions) {
    if (graph->num_nodes() == 0 || HasControlFlow(*graph)) return Status();
  }
  DF_ASSIGN(const RunSchedule schedule, RunSchedule::Create(partitions));
  std::vector<std::vector<std::pair<NodeId, NodeId>>> found(partitions.size());
  {
    const LateReceives receives(partitions, schedule);
    for (size_t p = 0; p < partitions.size(); ++p) {
      if (IsOnHost(*partitions[p])) found[p] = receives.Find(static_cast<int32_t>(p));
    }
  }
  for (size_t p = 0; p < partitions.size(); ++p) {
    for (const auto& [recv, source] : found[p]) partitions[p]->AddControlEdge(source, recv);
    const auto is_ahead = [](const auto& edge) { return edge.second > edge.first; };
    if (std::any_of(found[p].begin(), found[p].end(), is_ahead)) {
      DF_ASSIGN(*partitions[p], InOrder(*partitions[p]));
    }
  }
  return Status();
}

PARTITION_PASS("late_receives", 10, &DelayReceives);

}  // namespace
}  // namespace dfrun
