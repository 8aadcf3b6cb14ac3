// What a collective does, as nodes: each member adds up, or puts behind each other, what all members have.
//
// Which terms a sum has, and their order, is that of the members, whatever way it takes: bits depend neither on where
// the members are nor on who comes first.
#ifndef DFRUN_SRC_PASSES_COLLECTIVE_EXCHANGE_H_
#define DFRUN_SRC_PASSES_COLLECTIVE_EXCHANGE_H_

#include <string>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

// One participant.
struct CollectiveMember {
  Output value;               // what it brings
  std::string scope;          // of the names of its nodes
  std::string device;         // the constraint of its nodes
  std::string colocate_with;  // a node that they are colocated with; empty: none
};

// Adds nodes to the graph. Errors are sticky: after the first, nothing is added and status() holds it.
class CollectiveExchange {
 public:
  // At least one member; their values are of one dtype.
  CollectiveExchange(Graph& graph, std::vector<CollectiveMember> members)
      : graph_(graph), members_(std::move(members)) {}

  // By member: the values folded in the order of the members. `merge`: "Add", "Mul", "Min", "Max" or "Mean".
  // Of three members and more with large values of known shape each folds one part, and they exchange these: every
  // member then receives twice the size of a value at most, instead of one value from each other.
  std::vector<Output> Reduce(const std::string& merge);
  // By member: all values, one behind the other along dimension 0.
  std::vector<Output> Gather();
  // By member: its part, of as many as there are members, of the fold along dimension 0.
  std::vector<Output> Scatter(const std::string& merge);

  // `value` divided by the number of members, at member i.
  Output DivideBySize(size_t i, Output value);
  // A node of member i.
  Output Add(size_t i, const std::string& op, std::vector<Output> inputs, AttrMap attrs = {});

  const Status& status() const { return status_; }

 private:
  // Below this many bytes a value travels whole: the second message would take longer than the bytes.
  static constexpr int64_t kWholeBytes = int64_t{1} << 16;

  bool IsWorthParting() const;
  int size() const { return static_cast<int>(members_.size()); }
  Output Const(size_t i, Tensor value);
  Output Fold(size_t i, const std::string& merge, const std::vector<Output>& values);
  std::vector<Output> ReduceParts(const std::string& merge);
  std::vector<Output> FoldParts(const std::string& merge, const std::vector<std::vector<Output>>& parts);

  Graph& graph_;
  const std::vector<CollectiveMember> members_;
  Status status_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_PASSES_COLLECTIVE_EXCHANGE_H_
