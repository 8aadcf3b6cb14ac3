// The order of reads and updates of a variable in a step, where the graph leaves it open.
//
// A node that reads a variable and does not wait for an update of it comes before that; of two updates that do not wait
// for each other the first in the graph comes first. So the results of a step do not depend on chance. Left open: nodes
// inside a loop; nodes that may not run beside an update that may run without them; readers that wait at a queue, whose
// elements may come from behind the update.
#ifndef DFRUN_SRC_TRAINING_ORDER_STEP_ORDER_H_
#define DFRUN_SRC_TRAINING_ORDER_STEP_ORDER_H_

#include <vector>

#include "src/graph/graph.h"
#include "src/passes/prune.h"

namespace dfrun {

struct StepOrderOptions {
  std::vector<NodeId> last;  // updates that come after all other nodes in any case
  // A variable that is fetched itself is read after its updates; else before them, as by any node.
  bool fetches_come_last = false;
};

// Orders the nodes that a signature runs. A fetch by reference may become a fetch of a node that reads it.
Status OrderStep(const StepOrderOptions& options, Graph& graph, RunSignature& signature);

}  // namespace dfrun

#endif  // DFRUN_SRC_TRAINING_ORDER_STEP_ORDER_H_
