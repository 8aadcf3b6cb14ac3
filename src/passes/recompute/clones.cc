#include "src/passes/recompute/clones.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <utility>

#include "src/base/sort_unique.h"

namespace dfrun {
namespace {

// One run over one graph.
class Cloner {
 public:
  Cloner(const GradientStep& step, const std::vector<bool>& chosen, Graph& graph)
      : step_(step),
        graph_(graph),
        needed_(chosen),
        first_reader_(needed_.size(), kNever),
        clones_(needed_.size(), -1) {}

  Result<std::vector<NodeId>> Run() {
    FindReaders();
    DropUnheld();
    FindWaits();
    std::vector<NodeId> cloned;
    for (size_t place = 0; place < step_.num_early(); ++place) {
      const NodeId id = step_.order()[place];
      if (!IsNeeded(id)) continue;
      DF_TRY(AddClone(id));
      cloned.push_back(id);
    }
    for (size_t place = step_.num_early(); place < step_.order().size(); ++place) {
      for (Output& input : graph_.mutable_node(step_.order()[place]).inputs) input = Replaced(input);
    }
    return cloned;
  }

 private:
  static constexpr int32_t kNever = std::numeric_limits<int32_t>::max();

  bool IsNeeded(NodeId id) const { return needed_[static_cast<size_t>(id)]; }
  int32_t FirstReader(NodeId id) const { return first_reader_[static_cast<size_t>(id)]; }

  // Finds the place of the first late node that needs the clone of each chosen node, by way of other clones too; a node
  // that none needs is not cloned.
  void FindReaders() {
    const Consumers consumers = graph_.BuildConsumers();
    for (size_t place = step_.num_early(); place-- > 0;) {
      const NodeId id = step_.order()[place];
      if (!IsNeeded(id)) continue;
      int32_t& first = first_reader_[static_cast<size_t>(id)];
      for (const Consumers::Edge& edge : consumers.of(id)) {
        if (edge.port < 0 || step_.PlaceOf(edge.node) < 0) continue;
        if (step_.IsLate(edge.node)) {
          first = std::min(first, step_.PlaceOf(edge.node));
        } else if (IsNeeded(edge.node)) {
          first = std::min(first, FirstReader(edge.node));
        }
      }
      if (first == kNever) needed_[static_cast<size_t>(id)] = false;
    }
  }

  bool ReadsClones(const Node& node) const {
    return std::any_of(node.inputs.begin(), node.inputs.end(), [&](Output input) { return IsNeeded(input.node); });
  }

  NodeId TriggerFor(NodeId id) const { return step_.TriggerOf(step_.order()[static_cast<size_t>(FirstReader(id))]); }

  // Leaves out the nodes whose clones nothing would hold back.
  void DropUnheld() {
    for (size_t place = 0; place < step_.num_early(); ++place) {
      const NodeId id = step_.order()[place];
      if (IsNeeded(id) && !ReadsClones(graph_.node(id)) && TriggerFor(id) < 0) needed_[static_cast<size_t>(id)] = false;
    }
  }

  bool WaitsItself(NodeId id) const {
    int32_t held_until = -1;  // by the clones that it reads
    for (const Output input : graph_.node(id).inputs) {
      if (IsNeeded(input.node)) held_until = std::max(held_until, FirstReader(input.node));
    }
    return FirstReader(id) > held_until && TriggerFor(id) >= 0;
  }

  // Finds, for each gradient that clones wait for, the late nodes after the one before it that neither it nor another
  // of them reads. Without them, threads that run ahead would keep what those nodes have yet to read.
  void FindWaits() {
    for (size_t place = 0; place < step_.num_early(); ++place) {
      const NodeId id = step_.order()[place];
      if (IsNeeded(id) && WaitsItself(id)) waits_[step_.PlaceOf(TriggerFor(id))];
    }
    const Consumers consumers = graph_.BuildConsumers();
    auto begin = static_cast<int32_t>(step_.num_early());
    for (auto& [end, waits] : waits_) {
      const auto is_read_before = [&, last = end](const Consumers::Edge& edge) {
        return step_.IsLate(edge.node) && step_.PlaceOf(edge.node) <= last;
      };
      for (int32_t place = begin; place <= end; ++place) {
        const NodeId id = step_.order()[static_cast<size_t>(place)];
        const auto readers = consumers.of(id);
        const bool is_last = std::none_of(readers.begin(), readers.end(), is_read_before);
        if (step_.MayBeAwaited(id) && (is_last || place == end)) waits.push_back(id);
      }
      begin = end + 1;
    }
  }

  Output Replaced(Output output) const {
    if (!output.valid() || static_cast<size_t>(output.node) >= clones_.size()) return output;
    const NodeId clone = clones_[static_cast<size_t>(output.node)];
    return clone < 0 ? output : Output{clone, output.port};
  }

  Status AddClone(NodeId id) {
    const Node& node = graph_.node(id);
    NodeSpec spec;
    spec.name = graph_.UniqueName(node.name + "/recomputed");
    spec.op = node.op->name;
    spec.attrs = node.attrs;
    spec.device = node.device;
    spec.colocate_with = node.colocate_with.empty() && node.device.empty() ? node.name : node.colocate_with;
    spec.location = node.location;
    spec.control_inputs = node.control_inputs;
    for (const Output input : node.inputs) spec.inputs.push_back(Replaced(input));
    if (WaitsItself(id)) {
      const std::vector<NodeId>& waits = waits_.at(step_.PlaceOf(TriggerFor(id)));
      spec.control_inputs.insert(spec.control_inputs.end(), waits.begin(), waits.end());
    }
    SortUnique(spec.control_inputs);
    DF_ASSIGN(clones_[static_cast<size_t>(id)], graph_.AddNode(std::move(spec)));
    return Status();
  }

  const GradientStep& step_;
  Graph& graph_;
  std::vector<bool> needed_;  // by node, as the next ones
  std::vector<int32_t> first_reader_;
  std::vector<NodeId> clones_;
  std::map<int32_t, std::vector<NodeId>> waits_;  // by the place of a gradient that clones wait for
};

}  // namespace

Result<std::vector<NodeId>> CloneForGradients(const GradientStep& step, const std::vector<bool>& chosen, Graph& graph) {
  return Cloner(step, chosen, graph).Run();
}

}  // namespace dfrun
