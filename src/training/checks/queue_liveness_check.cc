#include "src/training/checks/queue_liveness_check.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "src/base/text.h"
#include "src/graph/control_flow.h"
#include "src/graph/object_handle.h"
#include "src/graph/order/ancestors.h"
#include "src/graph/queue_shapes.h"

namespace dfrun {
namespace {

// Queue nodes of one name are taken for one queue: their devices are not looked at.
bool IsQueue(const Node& node) {
  return MakesQueue(node) || node.op->name.ends_with("ConditionalAccumulator");
}
bool TakesElement(const Node& node) {
  return node.op->traits.wait == WaitKind::kTake;
}
bool OnlyLooks(const Node& node) {
  const std::string_view op = node.op->name;
  return op.starts_with("QueueSize") || op.starts_with("QueueIsClosed") || op.ends_with("AccumulatorNumAccumulated") ||
         op.ends_with("AccumulatorSetGlobalStep");
}

// -1: no bound.
int64_t CapacityOf(const Node& queue) {
  const Result<int64_t> capacity = queue.attrs.Get<int64_t>("capacity");
  return capacity.ok() ? *capacity : -1;
}

bool PutsOne(const Node& node) {
  return node.op->name == "QueueEnqueue" || node.op->name == "QueueEnqueueV2";
}

bool AddsElement(const Node& node) {
  return node.op->traits.wait == WaitKind::kPut;
}

// The queue that the node's first input is; null where it is none.
const Node* QueueOf(const Graph& graph, const Node& node) {
  if (node.num_inputs() == 0 || !node.inputs[0].valid()) return nullptr;
  const Node& first = graph.node(node.inputs[0].node);
  return IsQueue(first) ? &first : nullptr;
}

// " ('a', 'b' would put elements into it)"; empty: no node does.
std::string WhoPutsInto(const Graph& graph, const std::string& queue) {
  constexpr size_t kMaxShown = 3;
  std::vector<std::string> names;
  for (const Node& node : graph.nodes()) {
    const Node* filled = AddsElement(node) ? QueueOf(graph, node) : nullptr;
    if (filled != nullptr && NameOfObject(*filled) == queue) names.push_back(StrCat("'", node.name, "'"));
  }
  if (names.empty()) return "";
  const std::string more = names.size() > kMaxShown ? StrCat(" and ", names.size() - kMaxShown, " more") : "";
  names.resize(std::min(names.size(), kMaxShown));
  return StrCat(" (", Join(names), more, " would put elements into it)");
}

// Sets `reached` for the nodes that a run reaches.
void AddReached(const Graph& graph, const RunSignature& run, std::vector<bool>& reached) {
  std::vector<bool> fed(reached.size());
  for (const Output& feed : run.feeds) fed[feed.node] = true;
  AncestorWalk walk(graph);
  for (const NodeId target : run.targets) walk.Add(target);
  for (const Output& fetch : run.fetches) walk.Add(fetch.node);
  while (const Node* node = walk.Next()) {
    if (fed[node->id]) continue;
    reached[node->id] = true;
    walk.AddSources(*node);
  }
}

std::vector<bool> Reached(const Graph& graph, const RunSignature& run) {
  std::vector<bool> reached(static_cast<size_t>(graph.num_nodes()));
  AddReached(graph, run, reached);
  return reached;
}

// Elements that one queue gets and gives in a run.
struct Traffic {
  int64_t put = 0;
  int64_t taken = 0;
  NodeId putter = -1;
  NodeId taker = -1;
};

// The number of elements that a dequeue of several asks for; nothing where it is not known.
std::optional<int64_t> ElementsAsked(const Graph& graph, const Node& node) {
  const Tensor* count = graph.ConstantValue(node.inputs[1]);
  if (count == nullptr || count->dtype() != DType::kInt32 || count->num_elements() != 1) return std::nullopt;
  return *count->data<int32_t>();
}

// The number of elements that a node puts into its queue or takes out; nothing where it is not known.
std::optional<int64_t> CountElements(const Graph& graph, const Node& node) {
  const std::string_view op = node.op->name;
  if (op == "QueueEnqueue" || op == "QueueEnqueueV2" || op == "QueueDequeue" || op == "QueueDequeueV2") return 1;
  if (op.starts_with("QueueEnqueueMany") && node.num_inputs() > 1) {
    const PartialShape& rows = graph.shape(node.inputs[1]);
    if (rows.known_rank() && rows.rank() > 0 && rows.dim(0) >= 0) return rows.dim(0);
  }
  if (op.starts_with("QueueDequeueMany")) return ElementsAsked(graph, node);
  if (op.starts_with("QueueDequeueUpTo") && ElementsAsked(graph, node) == 0) return 0;  // a larger one may get fewer
  return std::nullopt;
}

// Whether the node leaves the queue's content as it is and waits for nothing: it looks, or moves no elements.
bool LeavesAsItIs(const Graph& graph, const Node& node) {
  return OnlyLooks(node) || CountElements(graph, node) == 0;
}

// Follows the contents of queues through runs.
class Balance {
 public:
  Balance(const Graph& graph, const std::set<std::string>& uncounted) : graph_(graph), uncounted_(uncounted) {}

  // Counts the run's traffic by queue. A queue that the run uses in a way that cannot be counted is uncounted from here
  // on.
  std::map<std::string, Traffic> Count(const RunSignature& run) {
    const std::vector<bool> reached = Reached(graph_, run);
    std::map<std::string, Traffic> traffic;
    for (const Node& node : graph_.nodes()) {
      if (!reached[static_cast<size_t>(node.id)] || LeavesAsItIs(graph_, node)) continue;
      for (const Output input : node.inputs) {
        if (!input.valid() || !IsQueue(graph_.node(input.node))) continue;
        const Node& queue = graph_.node(input.node);
        queues_[NameOfObject(queue)] = &queue;
        const std::optional<int64_t> count = CountElements(graph_, node);
        if (!count || !MakesQueue(queue)) {
          uncounted_.insert(NameOfObject(queue));
        } else if (TakesElement(node)) {
          traffic[NameOfObject(queue)].taken += *count;
          traffic[NameOfObject(queue)].taker = node.id;
        } else {
          traffic[NameOfObject(queue)].put += *count;
          traffic[NameOfObject(queue)].putter = node.id;
        }
      }
    }
    return traffic;
  }

  // The run was made once more.
  Status Add(const std::map<std::string, Traffic>& traffic, int64_t times) {
    for (const auto& [name, now] : traffic) {
      held_[name] += (now.put - now.taken) * times;
      if (uncounted_.contains(name)) continue;
      DF_TRY(CheckHeld(name, now, held_[name]));
    }
    return Status();
  }

 private:
  Status CheckHeld(const std::string& name, const Traffic& now, int64_t held) const {
    const Node& queue = *queues_.at(name);
    const Result<int64_t> stay = queue.attrs.GetOr<int64_t>("min_after_dequeue", 0);
    const int64_t least = stay.ok() ? *stay : 0;
    if (held < least && now.taker >= 0 && now.taken > 0) {
      return InvalidArgument(graph_.Describe(now.taker), " would wait for ever: ", least - held,
                             " elements more are taken out of the queue '", name, "' than are put into it by then",
                             least > 0 ? StrCat(", of which ", least, " must stay") : "", WhoPutsInto(graph_, name));
    }
    const int64_t room = CapacityOf(queue);
    if (room < 0 || held <= room || now.putter < 0 || now.put == 0) return Status();
    return InvalidArgument(graph_.Describe(now.putter), " would wait for ever: the queue '", name, "' holds ", room,
                           " elements, and ", held - room, " more are put into it by then than are taken out");
  }

  const Graph& graph_;
  std::set<std::string> uncounted_;
  std::map<std::string, const Node*> queues_;
  std::map<std::string, int64_t> held_;
};

}  // namespace

std::map<std::string, Output> QueuesFilled(const Graph& graph, const RunSignature& run) {
  const std::vector<bool> reached = Reached(graph, run);
  std::map<std::string, Output> filled;
  for (const Node& node : graph.nodes()) {
    if (!reached[static_cast<size_t>(node.id)] || !AddsElement(node)) continue;
    if (const Node* queue = QueueOf(graph, node); queue != nullptr && MakesQueue(*queue)) {
      filled.emplace(NameOfObject(*queue), node.inputs[0]);
    }
  }
  return filled;
}

std::set<std::string> QueuesUsed(const Graph& graph, const RunSignature& run) {
  const std::vector<bool> reached = Reached(graph, run);
  std::set<std::string> used;
  for (const Node& node : graph.nodes()) {
    if (reached[static_cast<size_t>(node.id)] && IsQueue(node)) used.insert(NameOfObject(node));
  }
  return used;
}

Status CheckQueueBalance(const Graph& graph, const std::vector<CountedRun>& runs,
                         const std::set<std::string>& uncounted) {
  if (HasControlFlow(graph)) return Status();
  Balance balance(graph, uncounted);
  std::vector<std::map<std::string, Traffic>> traffic;
  traffic.reserve(runs.size());
  for (const CountedRun& counted : runs) traffic.push_back(balance.Count(*counted.run));
  for (size_t i = 0; i < runs.size(); ++i) {
    DF_TRY(balance.Add(traffic[i], 1));
    if (runs[i].times > 1) DF_TRY(balance.Add(traffic[i], runs[i].times - 1));
  }
  return Status();
}

Status CheckQueuesServed(const Graph& graph, const std::vector<const RunSignature*>& runs, const char* advice) {
  std::vector<bool> reached(static_cast<size_t>(graph.num_nodes()));
  for (const RunSignature* run : runs) AddReached(graph, *run, reached);
  std::map<NodeId, std::string> waits;  // in the graph's order
  std::set<std::string> served;
  for (const Node& node : graph.nodes()) {
    if (!reached[node.id]) continue;
    for (const Output input : node.inputs) {
      const Node& queue = graph.node(input.node);
      if (!IsQueue(queue) || LeavesAsItIs(graph, node)) continue;
      if (TakesElement(node)) {
        waits.emplace(node.id, NameOfObject(queue));
      } else {
        served.insert(NameOfObject(queue));
      }
    }
  }
  for (const auto& [id, queue] : waits) {
    if (served.contains(queue)) continue;
    return InvalidArgument(graph.Describe(id), " would wait for ever: nothing that the job runs puts elements into '",
                           queue, "' or closes it; ", advice, WhoPutsInto(graph, queue));
  }
  return Status();
}

Status CheckQueuesEmptied(const Graph& graph, const std::vector<const RunSignature*>& runs, int64_t steps) {
  if (HasControlFlow(graph)) return Status();
  std::vector<bool> in_step(static_cast<size_t>(graph.num_nodes()));
  AddReached(graph, *runs[0], in_step);
  std::vector<bool> reached = in_step;
  for (const RunSignature* run : runs) AddReached(graph, *run, reached);
  std::map<std::string, std::vector<NodeId>> puts;
  std::map<std::string, int64_t> capacities;
  std::set<std::string> emptied;
  for (const Node& node : graph.nodes()) {
    for (const Output input : node.inputs) {
      const Node& queue = graph.node(input.node);
      if (!reached[node.id] || !IsQueue(queue) || LeavesAsItIs(graph, node)) continue;
      if (!PutsOne(node)) {
        emptied.insert(NameOfObject(queue));
      } else if (in_step[node.id]) {
        puts[NameOfObject(queue)].push_back(node.id);
        capacities[NameOfObject(queue)] = CapacityOf(queue);
      }
    }
  }
  for (const auto& [queue, nodes] : puts) {
    const int64_t room = capacities[queue];
    if (emptied.contains(queue) || room < 0 || steps <= room / static_cast<int64_t>(nodes.size())) continue;
    return InvalidArgument(graph.Describe(nodes.back()), " would wait for ever: the queue '", queue, "' holds ", room,
                           " elements, ", steps,
                           " steps put more into it, and nothing that the job runs takes any out ", "or closes it");
  }
  return Status();
}

}  // namespace dfrun
