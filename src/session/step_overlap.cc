#include "src/session/step_overlap.h"

#include <algorithm>

#include "src/graph/order/has_refs.h"
#include "src/graph/order/participants.h"
#include "src/graph/order/variable_readers.h"

namespace dfrun {
namespace {

// Whether a node is stateful only because it must not be merged or folded: its value belongs to the step alone.
bool IsOfOneStep(const Node& node) {
  return node.op->traits.boundary != Boundary::kNone || IsParticipant(node);
}

bool LeavesNothing(const Node& node) {
  if (HasRefInput(node)) return false;
  if (!node.op->is_stateful || IsOfOneStep(node) || IsVariable(node)) return true;
  return HasHandleInput(node) && !MayChangeVariable(node);
}

}  // namespace

bool StepsMayOverlap(const Graph& graph) {
  return std::all_of(graph.nodes().begin(), graph.nodes().end(), &LeavesNothing);
}

}  // namespace dfrun
