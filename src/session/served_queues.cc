#include "src/session/served_queues.h"

#include <map>
#include <set>
#include <string>

#include "src/graph/control_flow.h"
#include "src/graph/queue_shapes.h"
#include "src/graph/upstream.h"

namespace dfrun {
namespace {

bool IsQueue(const Node& node) {
  return MakesQueue(node) || node.op->name.ends_with("ConditionalAccumulator");
}
bool Takes(const Node& node) {
  return node.op->name.starts_with("QueueDequeue") || node.op->name.starts_with("ReaderRead") ||
         node.op->name.ends_with("AccumulatorTakeGradient");
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

// Queue nodes with one are one queue, or may be: their devices are not looked at.
std::string IdentityOf(const Node& queue) {
  const AttrValue* shared = queue.attrs.Find("shared_name");
  const std::string* name = shared == nullptr ? nullptr : shared->get<std::string>();
  return name == nullptr || name->empty() ? queue.name : *name;
}

// Sets `reached` for the nodes that a run reaches.
void AddReached(const Graph& graph, const RunSignature& run, std::vector<bool>& reached) {
  std::vector<bool> fed(reached.size());
  for (const Output& feed : run.feeds) fed[feed.node] = true;
  Upstream walk(graph);
  for (const NodeId target : run.targets) walk.Add(target);
  for (const Output& fetch : run.fetches) walk.Add(fetch.node);
  while (const Node* node = walk.Next()) {
    if (fed[node->id]) continue;
    reached[node->id] = true;
    walk.AddSources(*node);
  }
}

}  // namespace

Status CheckQueuesServed(const Graph& graph, const std::vector<const RunSignature*>& runs) {
  std::vector<bool> reached(static_cast<size_t>(graph.num_nodes()));
  for (const RunSignature* run : runs) AddReached(graph, *run, reached);
  std::map<NodeId, std::string> waits;  // in the graph's order
  std::set<std::string> served;
  for (const Node& node : graph.nodes()) {
    if (!reached[node.id]) continue;
    for (const Output input : node.inputs) {
      const Node& queue = graph.node(input.node);
      if (!IsQueue(queue) || OnlyLooks(node)) continue;
      if (Takes(node)) {
        waits.emplace(node.id, IdentityOf(queue));
      } else {
        served.insert(IdentityOf(queue));
      }
    }
  }
  for (const auto& [id, queue] : waits) {
    if (served.contains(queue)) continue;
    return InvalidArgument(graph.Describe(id), " would wait for ever: nothing that the job runs puts elements into '",
                           queue,
                           "' or closes it; name what does so in 'targets' of 'run', or let the step depend on it");
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
      if (!reached[node.id] || !IsQueue(queue) || OnlyLooks(node)) continue;
      if (!PutsOne(node)) {
        emptied.insert(IdentityOf(queue));
      } else if (in_step[node.id]) {
        puts[IdentityOf(queue)].push_back(node.id);
        capacities[IdentityOf(queue)] = CapacityOf(queue);
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
