#include "src/session/served_queues.h"

#include <map>
#include <set>
#include <string>

#include "src/graph/upstream.h"

namespace dfrun {
namespace {

bool IsQueue(const Node& node) {
  return node.op->name.ends_with("Queue") || node.op->name.ends_with("QueueV2");
}
bool Takes(const Node& node) {
  return node.op->name.starts_with("QueueDequeue") || node.op->name.starts_with("ReaderRead");
}
bool OnlyLooks(const Node& node) {
  return node.op->name.starts_with("QueueSize") || node.op->name.starts_with("QueueIsClosed");
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
    return InvalidArgument(graph.Describe(id),
                           " would wait for ever: nothing that the job runs puts elements into the queue '", queue,
                           "' or closes it; name what does so in 'targets' of 'run', or let the step depend on it");
  }
  return Status();
}

}  // namespace dfrun
