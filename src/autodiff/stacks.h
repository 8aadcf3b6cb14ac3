// The stacks of a graph: the pushes of a loop for its gradient, and the pops there.
#ifndef DFRUN_SRC_AUTODIFF_STACKS_H_
#define DFRUN_SRC_AUTODIFF_STACKS_H_

#include <unordered_map>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

bool IsStackPush(const Node& node);
bool IsStackPop(const Node& node);

// The stacks of the graph as it was when this object was made. Handles reach their users through Identity and control
// flow.
class Stacks {
 public:
  struct Users {
    std::vector<NodeId> pushes;
    std::vector<NodeId> pops;
  };

  explicit Stacks(const Graph& graph);

  // All users of the stack that this node, a push or a pop, uses.
  const Users& UsersOfStackOf(NodeId user) const { return users_.at(stack_of_.at(user)); }

 private:
  std::unordered_map<NodeId, NodeId> stack_of_;
  std::unordered_map<NodeId, Users> users_;  // by the node that makes the stack
};

}  // namespace dfrun

#endif  // DFRUN_SRC_AUTODIFF_STACKS_H_
