#include "src/autodiff/dependency.h"

#include <algorithm>

namespace dfrun {
namespace {

std::string JoinNames(const Graph& graph, const std::vector<NodeId>& path) {
  constexpr size_t kEnds = 6;  // shown of a long path, on each side
  std::string text;
  for (size_t i = 0; i < path.size(); ++i) {
    if (path.size() > 2 * kEnds && i == kEnds) {
      text += StrCat(" -> ... (", path.size() - 2 * kEnds, " more)");
      i = path.size() - kEnds;
    }
    text += StrCat(text.empty() ? "'" : " -> '", graph.node(path[i]).name, "'");
  }
  return text;
}

}  // namespace

bool IsDifferentiable(DType dtype) {
  return IsFloating(dtype) || IsComplex(dtype) || IsHandle(dtype);
}

Dependency::Dependency(const Graph& graph, std::span<const Output> ys, std::span<const Output> xs)
    : graph_(graph), ys_(ys.begin(), ys.end()), xs_(xs.begin(), xs.end()) {
  first_output_.reserve(static_cast<size_t>(graph.num_nodes()));
  int32_t count = 0;
  for (const Node& node : graph.nodes()) {
    first_output_.push_back(count);
    count += node.num_outputs();
  }
  depends_.assign(static_cast<size_t>(count), false);
  MarkDependent();
  between_ = BackFromY([this](Output value) { return DependsOnX(value); });
}

// Forward from the xs. A worklist rather than one sweep in topological order: loops have edges back.
void Dependency::MarkDependent() {
  std::vector<Output> todo;
  const auto mark = [&](Output value) {
    if (depends_[Index(value)]) return;
    depends_[Index(value)] = true;
    todo.push_back(value);
  };
  for (Output x : xs_) mark(x);
  const Consumers consumers = graph_.BuildConsumers();
  while (!todo.empty()) {
    const Output value = todo.back();
    todo.pop_back();
    for (const Consumers::Edge& edge : consumers.of(value.node)) {
      const Node& reader = graph_.node(edge.node);
      if (edge.port != value.port || reader.op->not_differentiable) continue;
      for (int port = 0; port < reader.num_outputs(); ++port) {
        if (IsDifferentiable(reader.output_types[port].dtype)) mark({reader.id, port});
      }
    }
  }
}

template <class Follows>
std::vector<bool> Dependency::BackFromY(const Follows& follows) const {
  std::vector<bool> reached(static_cast<size_t>(graph_.num_nodes()));
  std::vector<NodeId> todo;
  const auto mark = [&](Output value) {
    if (!value.valid() || !follows(value) || reached[value.node]) return;
    reached[value.node] = true;
    todo.push_back(value.node);
  };
  for (Output y : ys_) mark(y);
  while (!todo.empty()) {
    const Node& node = graph_.node(todo.back());
    todo.pop_back();
    if (node.op->not_differentiable) continue;
    for (Output input : node.inputs) mark(input);
  }
  return reached;
}

bool Dependency::IsPassedThrough(NodeId id) const {
  const Node& node = graph_.node(id);
  return !node.op->not_differentiable && std::any_of(node.inputs.begin(), node.inputs.end(),
                                                     [&](Output input) { return input.valid() && DependsOnX(input); });
}

// A handle comes to what uses it through Enter, Switch and Identity.
NodeId Dependency::StackOf(NodeId user) const {
  NodeId at = user;
  while (!graph_.node(at).inputs.empty() && graph_.node(at).inputs[0].valid()) {
    const Node& node = graph_.node(at);
    if (node.op->name == "Stack" || node.op->name == "StackV2") break;
    at = node.inputs[0].node;
  }
  return at;
}

Status Dependency::CheckStacks() const {
  std::vector<bool> holds(between_.size());  // by stack: what depends on an x
  bool any = false;
  for (const Node& node : graph_.nodes()) {
    if (node.op->name != "StackPush" && node.op->name != "StackPushV2") continue;
    if (!DependsOnX(node.inputs[1])) continue;
    holds[StackOf(node.id)] = true;
    any = true;
  }
  if (!any) return Status();
  const std::vector<bool> reaches = BackFromY([this](Output value) { return IsDifferentiable(graph_.dtype(value)); });
  for (const Node& node : graph_.nodes()) {
    const bool pops = node.op->name == "StackPop" || node.op->name == "StackPopV2";
    if (!pops || !reaches[node.id] || !holds[StackOf(node.id)]) continue;
    return Unimplemented(graph_.Describe(node.id),
                         ": the gradient of a loop's gradient; a second derivative through a loop is not there, and "
                         "StopGradient on the first leaves it out");
  }
  return Status();
}

// Any walk against the edges that stays on dependent values ends at an x; the search keeps it from going round a loop.
std::vector<NodeId> Dependency::PathFromX(NodeId node) const {
  std::vector<NodeId> next(between_.size(), -1);
  std::vector<NodeId> todo = {node};
  next[node] = node;
  while (!todo.empty()) {
    const NodeId at = todo.back();
    todo.pop_back();
    const bool is_x = std::any_of(xs_.begin(), xs_.end(), [&](Output x) { return x.node == at; });
    if (is_x) {
      std::vector<NodeId> path;
      for (NodeId step = at; step != node; step = next[step]) path.push_back(step);
      return path;
    }
    for (Output input : graph_.node(at).inputs) {
      if (!input.valid() || !DependsOnX(input) || next[input.node] >= 0) continue;
      next[input.node] = at;
      todo.push_back(input.node);
    }
  }
  return {};
}

std::vector<NodeId> Dependency::PathToY(NodeId node) const {
  std::vector<NodeId> next(between_.size(), -1);
  std::vector<NodeId> todo;
  for (Output y : ys_) {
    if (!DependsOnX(y) || next[y.node] >= 0) continue;
    next[y.node] = y.node;
    todo.push_back(y.node);
  }
  for (size_t i = 0; i < todo.size() && next[node] < 0; ++i) {
    for (Output input : graph_.node(todo[i]).inputs) {
      if (!input.valid() || !DependsOnX(input) || next[input.node] >= 0) continue;
      next[input.node] = todo[i];
      todo.push_back(input.node);
    }
  }
  std::vector<NodeId> path;
  for (NodeId at = node; at >= 0 && next[at] != at; at = next[at]) path.push_back(next[at]);
  return path;
}

std::string Dependency::PathThrough(NodeId node) const {
  std::vector<NodeId> path = PathFromX(node);
  path.push_back(node);
  const std::vector<NodeId> rest = PathToY(node);
  path.insert(path.end(), rest.begin(), rest.end());
  return JoinNames(graph_, path);
}

}  // namespace dfrun
