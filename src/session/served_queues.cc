#include "src/session/served_queues.h"

#include <map>
#include <set>
#include <string>

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

// The nodes that a run reaches, each once for all runs.
void AddReached(const Graph& graph, const RunSignature& run, std::vector<bool>& seen, std::vector<NodeId>& reached) {
  std::vector<bool> fed(seen.size());
  for (const Output& feed : run.feeds) fed[feed.node] = true;
  std::vector<NodeId> stack = run.targets;
  for (const Output& fetch : run.fetches) stack.push_back(fetch.node);
  while (!stack.empty()) {
    const Node& node = graph.node(stack.back());
    stack.pop_back();
    if (seen[node.id] || fed[node.id]) continue;
    seen[node.id] = true;
    reached.push_back(node.id);
    for (Output o : node.inputs) stack.push_back(o.node);
    stack.insert(stack.end(), node.control_inputs.begin(), node.control_inputs.end());
  }
}

}  // namespace

Status CheckQueuesServed(const Graph& graph, const std::vector<const RunSignature*>& runs) {
  std::vector<bool> seen(static_cast<size_t>(graph.num_nodes()));
  std::vector<NodeId> reached;
  for (const RunSignature* run : runs) AddReached(graph, *run, seen, reached);
  std::map<NodeId, std::string> waits;  // in the graph's order
  std::set<std::string> served;
  for (const NodeId id : reached) {
    const Node& node = graph.node(id);
    for (const Output input : node.inputs) {
      const Node& queue = graph.node(input.node);
      if (!IsQueue(queue) || OnlyLooks(node)) continue;
      if (Takes(node)) {
        waits.emplace(id, IdentityOf(queue));
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
