#include "src/training/order/step_order.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "src/base/sort_unique.h"
#include "src/graph/control_flow.h"
#include "src/graph/graph_ops.h"
#include "src/graph/order/ancestors.h"
#include "src/graph/order/variable_readers.h"
#include "src/training/order/guards.h"
#include "src/training/order/use_order.h"

namespace dfrun {
namespace {

bool DependsOn(const Graph& graph, NodeId node, NodeId other) {
  AncestorWalk walk(graph);
  walk.Add(node);
  const Node* at = walk.Next();
  for (; at != nullptr && !walk.added()[static_cast<size_t>(other)]; at = walk.Next()) walk.AddSources(*at);
  return walk.added()[static_cast<size_t>(other)];
}

std::vector<bool> NodesOf(const Graph& graph, const RunSignature& signature) {
  AncestorWalk walk(graph);
  for (const Output fetch : signature.fetches) walk.Add(fetch.node);
  for (const NodeId target : signature.targets) walk.Add(target);
  while (const Node* node = walk.Next()) walk.AddSources(*node);
  return std::move(walk).added();
}

// Tells for each node whether it waits for a queue's content, or for a node that does.
std::vector<bool> FindWaiting(const Graph& graph, const std::vector<NodeId>& order) {
  std::vector<bool> waits(order.size(), false);
  for (const NodeId id : order) {
    const Node& node = graph.node(id);
    const auto is_waiting = [&](NodeId source) { return source >= 0 && waits[static_cast<size_t>(source)]; };
    waits[static_cast<size_t>(id)] =
        node.op->traits.wait != WaitKind::kNone ||
        std::any_of(node.inputs.begin(), node.inputs.end(), [&](Output input) { return is_waiting(input.node); }) ||
        std::any_of(node.control_inputs.begin(), node.control_inputs.end(), is_waiting);
  }
  return waits;
}

// A variable that a step updates. Updates are users, too.
struct WrittenVariable {
  NodeId variable;
  VariableUses uses;
};

// One call of OrderStep().
class StepOrder {
 public:
  StepOrder(const StepOrderOptions& options, Graph& graph, RunSignature& signature)
      : last_(options.last.begin(), options.last.end()), options_(options), graph_(graph), signature_(signature) {}

  Status Run() {
    const std::vector<WrittenVariable> updated = FindUpdated();
    if (updated.empty()) return Status();
    DF_TRY(FindPlaces());
    DF_TRY(ReadFetches(updated));
    DF_TRY(FindPlaces());
    return Order();
  }

 private:
  bool IsInLoop(NodeId id) const { return frames_.of_node[static_cast<size_t>(id)] != 0; }

  Status FindPlaces() {
    DF_ASSIGN(const std::vector<NodeId> order, graph_.TopologicalOrder());
    DF_ASSIGN(frames_, BuildFrameTree(graph_));
    guards_.emplace(graph_, order, frames_);
    waits_ = FindWaiting(graph_, order);
    return Status();
  }

  std::vector<WrittenVariable> FindUpdated() const {
    const std::vector<bool> runs = NodesOf(graph_, signature_);
    const auto may_update = [&](const Node& node) {
      return runs[static_cast<size_t>(node.id)] && MayChangeVariable(node);
    };
    std::vector<WrittenVariable> found;
    if (std::none_of(graph_.nodes().begin(), graph_.nodes().end(), may_update)) return found;
    const Consumers consumers = graph_.BuildConsumers();
    const VariableReaders readers(graph_, consumers);
    std::set<std::string> names;
    for (const Node& node : graph_.nodes()) {
      if (!IsVariable(node) || !runs[static_cast<size_t>(node.id)] || !names.insert(VariableName(node)).second)
        continue;
      WrittenVariable variable{node.id, {readers.Of(node.id), {}}};
      auto& [users, updates] = variable.uses;
      std::erase_if(users, [&](NodeId id) { return !runs[static_cast<size_t>(id)] || HandsOn(graph_.node(id)); });
      SortUnique(users);
      updates = readers.ChangersOf(node.id);
      std::erase_if(updates, [&](NodeId id) { return !runs[static_cast<size_t>(id)]; });
      SortUnique(updates);
      if (!updates.empty()) found.push_back(std::move(variable));
    }
    return found;
  }

  // The reference or the handle itself; it neither reads nor updates.
  static bool HandsOn(const Node& node) {
    const bool gives_itself =
        !node.output_types.empty() && (node.output_types[0].is_ref || node.output_types[0].dtype == DType::kResource);
    return gives_itself && !MayChangeVariable(node);
  }

  Status ReadFetches(const std::vector<WrittenVariable>& updated) {
    std::map<NodeId, const WrittenVariable*> of_node;
    for (const WrittenVariable& variable : updated) {
      of_node[variable.variable] = &variable;
      for (const NodeId id : variable.uses.users) of_node[id] = &variable;
    }
    for (Output& fetch : signature_.fetches) {
      const auto found = of_node.find(fetch.node);
      if (!graph_.is_ref(fetch) || found == of_node.end()) continue;
      const auto is_before = [&](NodeId id) { return DependsOn(graph_, fetch.node, id); };
      const std::vector<NodeId>& updates = found->second->uses.updates;
      if (std::all_of(updates.begin(), updates.end(), is_before)) continue;
      const bool is_last = options_.fetches_come_last && IsVariable(graph_.node(fetch.node));
      DF_ASSIGN(fetch, Read(fetch, is_last ? updates : std::vector<NodeId>()));
    }
    return Status();
  }

  // The value after these updates, of which some may not run, or run often.
  Result<Output> Read(Output ref, const std::vector<NodeId>& updates) {
    const std::string name = StrCat(graph_.node(ref.node).name, "/fetched");
    GraphOps ops(graph_, "", graph_.node(ref.node).device);
    std::vector<NodeId> after;
    std::vector<NodeId> perhaps;
    for (const NodeId id : updates) {
      if (IsInLoop(id)) {
        AddExits(id, perhaps);
      } else {
        (guards_->RunsWherever(id, ref.node) ? after : perhaps).push_back(id);
      }
    }
    if (!perhaps.empty()) after.push_back(ops.Add(name, "ControlTrigger", {}, {}, std::move(perhaps)).node);
    const Output read = ops.Add(name, "Identity", {ref}, {}, std::move(after));
    DF_TRY(ops.status());
    return read;
  }

  // Adds the Exits of the outermost loop around the node.
  void AddExits(NodeId id, std::vector<NodeId>& exits) const {
    int32_t outermost = frames_.of_node[static_cast<size_t>(id)];
    while (frames_.frames[static_cast<size_t>(outermost)].parent > 0) {
      outermost = frames_.frames[static_cast<size_t>(outermost)].parent;
    }
    for (size_t other = 0; other < frames_.of_node.size(); ++other) {
      const auto exit = static_cast<NodeId>(other);
      const bool is_exit = graph_.node(exit).op->traits.control_flow == ControlFlowKind::kExit;
      if (is_exit && frames_.of_node[other] == outermost) exits.push_back(exit);
    }
  }

  Status Order() {
    std::vector<VariableUses> open;
    for (WrittenVariable& variable : FindUpdated()) {
      auto& [users, updates] = open.emplace_back(std::move(variable.uses));
      std::erase_if(updates, [&](NodeId id) { return IsInLoop(id) || last_.contains(id); });
      std::erase_if(users, [&](NodeId id) { return IsInLoop(id) || waits_[static_cast<size_t>(id)]; });
    }
    const auto may_wait = [&](NodeId update, NodeId user) { return guards_->RunsWherever(user, update); };
    DF_ASSIGN(const std::vector<NodeId> waiting, OrderUses(open, may_wait, graph_));
    for (const NodeId id : waiting) graph_.mutable_node(id).attrs.Set("_after_reads", true);
    return Status();
  }

  const std::set<NodeId> last_;
  const StepOrderOptions& options_;
  Graph& graph_;
  RunSignature& signature_;
  FrameTree frames_;
  std::optional<Guards> guards_;
  std::vector<bool> waits_;  // by node: whether it waits at a queue, or for a node that does
};

}  // namespace

Status OrderStep(const StepOrderOptions& options, Graph& graph, RunSignature& signature) {
  return StepOrder(options, graph, signature).Run();
}

}  // namespace dfrun
