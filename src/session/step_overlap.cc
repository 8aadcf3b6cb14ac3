#include "src/session/step_overlap.h"

#include <algorithm>
#include <string_view>

#include "src/graph/has_refs.h"
#include "src/graph/variable_readers.h"

namespace dfrun {
namespace {

// Stateful since they must not be merged or folded: what they give is the step's own.
bool IsOfOneStep(const Node& node) {
  static constexpr std::string_view kOps[] = {"_Arg", "_Retval", "_Send", "_Recv", "_HostSend", "_HostRecv"};
  return std::find(std::begin(kOps), std::end(kOps), node.op->name) != std::end(kOps);
}

bool LeavesNothing(const Node& node) {
  if (HasRefInput(node)) return false;
  if (!node.op->is_stateful || IsOfOneStep(node) || IsVariable(node)) return true;
  const bool has_handle = std::any_of(node.input_types.begin(), node.input_types.end(),
                                      [](const TypedArg& arg) { return arg.dtype == DType::kResource; });
  return has_handle && !MayChangeVariable(node);
}

}  // namespace

bool StepsMayOverlap(const Graph& graph) {
  return std::all_of(graph.nodes().begin(), graph.nodes().end(), &LeavesNothing);
}

}  // namespace dfrun
