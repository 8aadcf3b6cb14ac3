// Finds the updates of a variable that come before a read of it.
//
// A reader sees the variable's value at the time when it runs, and so every update of it that the reader waits for.
// Another node that reads the variable for it (a Send to another device, a copy into other memory) has to wait for the
// same updates: for those of the reader's inputs and control inputs that come after one.
#ifndef DFRUN_SRC_GRAPH_ORDER_READ_ORDER_H_
#define DFRUN_SRC_GRAPH_ORDER_READ_ORDER_H_

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "src/graph/graph.h"
#include "src/graph/order/node_order.h"

namespace dfrun {

class VariableReaders;

// An input of a node that takes the value of a variable by reference.
struct VariableRead {
  NodeId reader;
  int input;
};

// Whether the input takes a value by reference: it does not take the reference itself.
bool ReadsByRef(const Graph& graph, const Node& reader, int input);

// The sources of a node's edges whose absence keeps it from running: of a Merge, which runs with any of its inputs, the
// control edges alone; else all but input `but`.
std::vector<NodeId> SourcesBeside(const Node& node, int but);

// The read order of one graph, which must outlive the object and not change. Its cost is linear in the graph where no
// update comes before any of the reads; else one more pass for each 64 variables.
// Thread safety: const methods from any thread.
class ReadOrder {
 public:
  using Ways = NodeOrder::Ways;

  // `order`: the graph's OrderWithParticipants(), for Ways::kPossible its PartitionOrder().
  static Result<ReadOrder> Create(const Graph& graph, const std::vector<NodeId>& order,
                                  std::span<const VariableRead> reads, Ways ways);

  // Whether an update comes before any of the reads; before reads[i].
  bool HasLate() const;
  bool IsLate(size_t i) const { return variable_of_[i] >= 0; }
  // For a late read: whether the node updates the variable or runs after a node that does.
  bool IsAfterUpdate(NodeId node, size_t i) const;
  // The nodes that may update its variable.
  const std::vector<NodeId>& UpdatesOf(size_t i) const { return updates_[static_cast<size_t>(variable_of_[i])]; }

 private:
  using Bits = uint64_t;
  static constexpr size_t kBits = 64;

  ReadOrder(const Graph& graph, Ways ways) : graph_(graph), ways_(ways) {}
  Bits BitsOfSources(const Node& node, const std::vector<Bits>& bits) const;
  void Spread(const std::vector<NodeId>& order, std::vector<Bits>& bits) const;
  void FindLate(const std::vector<NodeId>& order, std::span<const VariableRead> reads);
  std::vector<NodeId> VariablesBehind(Output ref) const;

  const Graph& graph_;
  const Ways ways_;
  std::map<NodeId, const std::vector<NodeId>*> group_of_;  // for participants of collectives
  std::map<int64_t, std::vector<NodeId>> groups_;
  std::vector<int> variable_of_;              // by read: the number of its variable; -1: it is not late
  std::vector<std::vector<NodeId>> updates_;  // by number
  std::vector<std::vector<Bits>> after_;      // by number / kBits, by node: of which it comes after an update
};

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_ORDER_READ_ORDER_H_
