// Finds the nodes that read a variable, directly or by way of others.
#ifndef DFRUN_SRC_GRAPH_ORDER_VARIABLE_READERS_H_
#define DFRUN_SRC_GRAPH_ORDER_VARIABLE_READERS_H_

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

// A node that gives a variable of its container, by name.
bool IsVariable(const Node& node);

// The name of the variable of such a node, with its container. Several devices may each have a variable of one name;
// they count as one here.
std::string VariableName(const Node& node);

// The readers of the variables of one graph; the graph and its consumers must outlive the object and not change.
// Thread safety: const methods from any thread.
class VariableReaders {
 public:
  VariableReaders(const Graph& graph, const Consumers& consumers);
  // The nodes that a node's variable goes to, its value or itself, also by way of others that pass it on unchanged, and
  // from other nodes that give the variable of that name; in no order.
  std::vector<NodeId> Of(NodeId variable) const;
  // The readers that may change the variable: they have it itself, not only its value.
  std::vector<NodeId> ChangersOf(NodeId variable) const;

 private:
  struct Found {
    std::vector<NodeId> readers;
    std::vector<NodeId> holders;  // nodes that have the variable itself, those that give it first
  };
  Found Find(NodeId variable) const;

  const Graph& graph_;
  const Consumers& consumers_;
  std::unordered_map<std::string, std::vector<NodeId>> by_name_;
};

// A node that may change a variable that it has: all but those that are known to read only, or to hand it on.
bool MayChangeVariable(const Node& node);

// Whether nodes that read a variable see one value of it: nothing that may change it runs before the last of them has.
// False for a variable that another node passes on unchanged. `order`: the graph's topological one.
bool SeeOneValue(const Graph& graph, const VariableReaders& variables, std::span<const NodeId> order, NodeId variable,
                 std::span<const NodeId> readers);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_ORDER_VARIABLE_READERS_H_
