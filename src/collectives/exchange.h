// The exchange that a collective becomes: nodes, for each member, by which all members exchange and reduce their
// values.
//
// LoweredExchange (lowered_exchange.h) makes Sends, Recvs and sums of it: each member adds up, or concatenates, the
// values of all. ParticipantExchange (participant_exchange.h) gives each member one node, whose kernel does so. The
// terms of a sum, and their order, follow the order of the members in either way: bits depend neither on where the
// members are nor on which comes first.
#ifndef DFRUN_SRC_COLLECTIVES_EXCHANGE_H_
#define DFRUN_SRC_COLLECTIVES_EXCHANGE_H_

#include <string>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

// One participant of a collective.
struct CollectiveMember {
  Output value;                             // the value that it brings; none: it only receives
  std::string scope;                        // prefix of its nodes' names
  std::string device;                       // the constraint of its nodes
  std::string colocate_with;                // a node that they are colocated with; empty: none
  std::vector<NodeId> control_inputs = {};  // for a member without a value: the nodes that it waits for
};

// Adds nodes to the graph. Errors are sticky: after the first, nothing is added and status() holds it.
class CollectiveExchange {
 public:
  virtual ~CollectiveExchange() = default;

  // Returns, by member, the values folded in the order of the members. `merge`: "Add", "Mul", "Min", "Max" or "Mean".
  virtual std::vector<Output> Reduce(const std::string& merge) = 0;
  // Returns, by member, all values, one behind the other along dimension 0.
  virtual std::vector<Output> Gather() = 0;
  // Returns, by member, its part of the fold along dimension 0, which has as many parts as there are members.
  virtual std::vector<Output> Scatter(const std::string& merge) = 0;

  // `value` divided by the number of members, at member i.
  Output DivideBySize(size_t i, Output value);
  // A node of member i.
  Output Add(size_t i, const std::string& op, std::vector<Output> inputs, AttrMap attrs = {});

  const Status& status() const { return status_; }

 protected:
  // There must be at least one member; the members' values are of one dtype.
  CollectiveExchange(Graph& graph, std::vector<CollectiveMember> members)
      : graph_(graph), members_(std::move(members)) {}

  int size() const { return static_cast<int>(members_.size()); }
  const Graph& graph() const { return graph_; }
  const std::vector<CollectiveMember>& members() const { return members_; }
  Output Const(size_t i, Tensor value);

 private:
  Graph& graph_;
  const std::vector<CollectiveMember> members_;
  Status status_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_COLLECTIVES_EXCHANGE_H_
