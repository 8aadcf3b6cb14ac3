#include "src/graph/order/read_order.h"

#include <algorithm>
#include <utility>

#include "src/base/sort_unique.h"
#include "src/graph/order/ancestors.h"
#include "src/graph/order/participants.h"
#include "src/graph/order/variable_readers.h"

namespace dfrun {

bool ReadsByRef(const Graph& graph, const Node& reader, int input) {
  const Output value = reader.inputs[static_cast<size_t>(input)];
  return value.valid() && !reader.input_types[static_cast<size_t>(input)].is_ref && graph.is_ref(value);
}

std::vector<NodeId> SourcesBeside(const Node& node, int but) {
  std::vector<NodeId> sources = node.control_inputs;
  if (node.op->traits.control_flow == ControlFlowKind::kMerge) return sources;
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (i != but && node.inputs[i].valid()) sources.push_back(node.inputs[i].node);
  }
  return sources;
}

Result<ReadOrder> ReadOrder::Create(const Graph& graph, const std::vector<NodeId>& order,
                                    std::span<const VariableRead> reads, Ways ways) {
  ReadOrder made(graph, ways);
  if (ways == Ways::kCertain) {
    DF_ASSIGN(made.groups_, FindParticipants(graph));
  }
  for (const auto& [number, members] : made.groups_) {
    for (NodeId id : members) made.group_of_[id] = &members;
  }
  made.variable_of_.assign(reads.size(), -1);
  made.FindLate(order, reads);
  return made;
}

bool ReadOrder::HasLate() const {
  return std::any_of(variable_of_.begin(), variable_of_.end(), [](int number) { return number >= 0; });
}

bool ReadOrder::IsAfterUpdate(NodeId node, size_t i) const {
  const auto number = static_cast<size_t>(variable_of_[i]);
  return (after_[number / kBits][static_cast<size_t>(node)] >> number % kBits & 1) != 0;
}

// The bits of all sources; back edges of loops count, since an iteration comes after those before it.
ReadOrder::Bits ReadOrder::BitsOfSources(const Node& node, const std::vector<Bits>& bits) const {
  Bits found = 0;
  for (Output input : node.inputs) found |= input.valid() ? bits[static_cast<size_t>(input.node)] : 0;
  for (NodeId control : node.control_inputs) found |= bits[static_cast<size_t>(control)];
  return found;
}

// Spreads the bits of nodes to all nodes that come after them.
void ReadOrder::Spread(const std::vector<NodeId>& order, std::vector<Bits>& bits) const {
  for (bool changes = true; changes;) {
    changes = false;
    Bits sent = 0;
    for (NodeId id : order) {
      const Node& node = graph_.node(id);
      Bits found = bits[static_cast<size_t>(id)] | BitsOfSources(node, bits);
      if (const auto group = group_of_.find(id); group != group_of_.end()) {
        for (NodeId member : *group->second) found |= BitsOfSources(graph_.node(member), bits);
      }
      if (ways_ == Ways::kPossible && EntersPartition(node)) found |= sent;
      if (ways_ == Ways::kPossible && LeavesPartition(node)) sent |= found;
      if (found == bits[static_cast<size_t>(id)]) continue;
      bits[static_cast<size_t>(id)] = found;
      // Only the value of a NextIteration reaches nodes that have been visited already.
      changes = changes || node.op->traits.control_flow == ControlFlowKind::kNextIteration;
    }
  }
}

// First whether anything comes after any update, which in most graphs nothing that reads variables does.
void ReadOrder::FindLate(const std::vector<NodeId>& order, std::span<const VariableRead> reads) {
  if (reads.empty()) return;
  std::vector<Bits> any(static_cast<size_t>(graph_.num_nodes()), 0);
  for (const Node& node : graph_.nodes()) any[static_cast<size_t>(node.id)] = MayChangeVariable(node) ? 1 : 0;
  Spread(order, any);
  const auto may_be_late = [&](const VariableRead& read) {
    const std::vector<NodeId> sources = SourcesBeside(graph_.node(read.reader), read.input);
    return std::any_of(sources.begin(), sources.end(), [&](NodeId id) { return any[static_cast<size_t>(id)] != 0; });
  };
  std::map<std::vector<NodeId>, int> numbers;
  for (size_t i = 0; i < reads.size(); ++i) {
    if (!may_be_late(reads[i])) continue;
    const Output ref = graph_.node(reads[i].reader).inputs[static_cast<size_t>(reads[i].input)];
    variable_of_[i] = numbers.try_emplace(VariablesBehind(ref), static_cast<int>(numbers.size())).first->second;
  }
  if (numbers.empty()) return;
  const Consumers consumers = graph_.BuildConsumers();
  const VariableReaders readers(graph_, consumers);
  updates_.resize(numbers.size());
  after_.assign((numbers.size() + kBits - 1) / kBits, std::vector<Bits>(static_cast<size_t>(graph_.num_nodes()), 0));
  for (const auto& [variables, number] : numbers) {
    std::vector<NodeId>& updates = updates_[static_cast<size_t>(number)];
    for (NodeId variable : variables) {
      const std::vector<NodeId> changers = readers.ChangersOf(variable);
      updates.insert(updates.end(), changers.begin(), changers.end());
    }
    SortUnique(updates);
    const auto at = static_cast<size_t>(number);
    for (NodeId id : updates) after_[at / kBits][static_cast<size_t>(id)] |= Bits{1} << at % kBits;
  }
  for (std::vector<Bits>& bits : after_) Spread(order, bits);
  for (size_t i = 0; i < reads.size(); ++i) {
    if (!IsLate(i)) continue;
    const std::vector<NodeId> sources = SourcesBeside(graph_.node(reads[i].reader), reads[i].input);
    const auto is_after = [&](NodeId id) { return IsAfterUpdate(id, i); };
    if (std::none_of(sources.begin(), sources.end(), is_after)) variable_of_[i] = -1;
  }
}

// Returns the nodes that make the references behind this one; a node that hands references on may have several.
std::vector<NodeId> ReadOrder::VariablesBehind(Output ref) const {
  AncestorWalk walk(graph_);
  walk.Add(ref.node);
  std::vector<NodeId> found;
  while (const Node* node = walk.Next()) {
    bool takes_ref = false;
    for (int i = 0; i < node->num_inputs(); ++i) {
      if (!node->input_types[i].is_ref || !node->inputs[i].valid()) continue;
      takes_ref = true;
      walk.Add(node->inputs[i].node);
    }
    if (!takes_ref) found.push_back(node->id);
  }
  SortUnique(found);
  return found;
}

}  // namespace dfrun
