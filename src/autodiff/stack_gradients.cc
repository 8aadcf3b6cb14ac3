// The gradients of values that one loop pushes on a stack and another pops, as the gradient of a loop does.
#include <algorithm>

#include "src/autodiff/differentiation.h"

namespace dfrun {
namespace {

// The frames from `frame` up to the one directly in `outer`; {} where it does not lie in `outer`.
std::vector<int32_t> UpTo(const FrameTree& frames, int32_t outer, int32_t frame) {
  std::vector<int32_t> up;
  for (; frame > outer; frame = frames.frames[frame].parent) up.push_back(frame);
  return frame == outer ? up : std::vector<int32_t>();
}

// The innermost frame around both.
int32_t CommonFrame(const FrameTree& frames, int32_t a, int32_t b) {
  while (a != b) (a > b ? a : b) = frames.frames[a > b ? a : b].parent;
  return a;
}

}  // namespace

Status Differentiation::VisitPop(FrameGradient& current, NodeId id, const GradientValue& dy) {
  if (!dy.exists) return Status();
  const Stacks::Users& users = dependency_.stacks().UsersOfStackOf(id);
  if (users.pushes.size() != 1 || users.pops.size() != 1) {
    return Unimplemented(graph_.Describe(id), ": the gradient of a stack with ", users.pushes.size(), " pushes and ",
                         users.pops.size(), " pops; the path is ", dependency_.PathThrough(id));
  }
  const NodeId push = users.pushes[0];
  DF_TRY(Connect(push, id));
  NodeAdder adder = AdderFor(current, id, graph_.node(id).name);
  DF_ASSIGN(const Output dense, Dense(adder, dy, {id, 0}));
  const std::vector<Branches::PathCondition>& literals = forward_->branches.literals(forward_->branches.OfNode(id));
  DF_ASSIGN(gradient_stacks_[push], current.scope.Push(dense, literals, id));
  return Status();
}

Status Differentiation::VisitPush(FrameGradient& current, NodeId id, const GradientValue& dy) {
  const Output value = graph_.node(id).inputs[1];
  const BranchId branch = forward_->branches.OfNode(id);
  if (dy.exists) DF_TRY(AddPart(current, value, dy, branch));
  const auto it = gradient_stacks_.find(id);
  if (it == gradient_stacks_.end()) return Status();
  const std::vector<Branches::PathCondition>& literals = forward_->branches.literals(branch);
  DF_ASSIGN(const Output popped, current.scope.Pop(it->second, graph_.shape(value), graph_.dtype(value), literals, id));
  return AddPart(current, value, GradientValue::Dense(popped), branch);
}

Status Differentiation::Connect(NodeId push, NodeId pop) {
  const FrameTree& frames = forward_->frames;
  const int32_t common = CommonFrame(frames, frames.of_node[push], frames.of_node[pop]);
  const std::vector<int32_t> to_push = UpTo(frames, common, frames.of_node[push]);
  const std::vector<int32_t> to_pop = UpTo(frames, common, frames.of_node[pop]);
  const auto refuse = [&](std::string_view why) {
    return Unimplemented(graph_.Describe(pop), ": the gradient of a stack that ", graph_.Describe(push), " fills ", why,
                         "; the path is ", dependency_.PathThrough(pop));
  };
  if (to_push.empty() || to_pop.empty()) return refuse("other than in a loop beside the one where it is popped");
  LoopState& filling = loops_[to_push.back()];
  if (filling.was_visited) return refuse("in a loop that does not run before the one where it is popped");
  const Branches& branches = forward_->branches;
  if (!branches.Difference(branches.OfLoop(to_push.back()), branches.OfLoop(to_pop.back())).empty()) {
    return refuse("in a loop that runs where the one in which it is popped does not");
  }
  for (int32_t frame : to_push) loops_[frame].is_reached = true;
  filling.awaits.push_back(to_pop.back());
  loops_[to_pop.back()].is_awaited = true;
  return Status();
}

std::vector<NodeId> Differentiation::FinishedBefore(int32_t frame) const {
  std::vector<NodeId> finished;
  for (int32_t loop : loops_[frame].awaits) {
    const NodeId node = loops_[loop].finished;
    if (std::find(finished.begin(), finished.end(), node) == finished.end()) finished.push_back(node);
  }
  return finished;
}

}  // namespace dfrun
