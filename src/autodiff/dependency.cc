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
    : graph_(graph), ys_(ys.begin(), ys.end()), xs_(xs.begin(), xs.end()), stacks_(graph) {
  first_output_.reserve(static_cast<size_t>(graph.num_nodes()));
  int32_t count = 0;
  for (const Node& node : graph.nodes()) {
    first_output_.push_back(count);
    count += node.num_outputs();
  }
  depends_.assign(static_cast<size_t>(count), false);
  MarkDependent();
  MarkBetween();
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
    if (IsStackPush(graph_.node(value.node))) {
      for (NodeId pop : stacks_.UsersOfStackOf(value.node).pops) mark({pop, 0});
    }
    for (const Consumers::Edge& edge : consumers.of(value.node)) {
      const Node& reader = graph_.node(edge.node);
      if (edge.port != value.port) continue;
      for (int port = 0; port < reader.num_outputs(); ++port) {
        const bool has_gradient = IsDifferentiable(reader.output_types[port].dtype);
        if (has_gradient && PassesGradient(graph_, reader, edge.input, port)) mark({reader.id, port});
      }
    }
  }
}

bool Dependency::PassesTo(const Node& node, int input) const {
  for (int port = 0; port < node.num_outputs(); ++port) {
    if (DependsOnX({node.id, port}) && PassesGradient(graph_, node, input, port)) return true;
  }
  return false;
}

template <class Visit>
void Dependency::ForSources(const Node& node, const Visit& visit) const {
  if (IsStackPop(node)) {
    for (NodeId push : stacks_.UsersOfStackOf(node.id).pushes) visit(Output{push, 0});
    return;
  }
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (PassesTo(node, i)) visit(node.inputs[i]);
  }
}

void Dependency::MarkBetween() {
  between_.assign(static_cast<size_t>(graph_.num_nodes()), false);
  std::vector<NodeId> todo;
  const auto mark = [&](Output value) {
    if (!value.valid() || !DependsOnX(value) || between_[value.node]) return;
    between_[value.node] = true;
    todo.push_back(value.node);
  };
  for (Output y : ys_) mark(y);
  while (!todo.empty()) {
    const Node& node = graph_.node(todo.back());
    todo.pop_back();
    ForSources(node, mark);
  }
}

bool Dependency::IsPassedThrough(NodeId id) const {
  const Node& node = graph_.node(id);
  for (int i = 0; i < node.num_inputs(); ++i) {
    if (node.inputs[i].valid() && DependsOnX(node.inputs[i]) && PassesTo(node, i)) return true;
  }
  return false;
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
    ForSources(graph_.node(at), [&](Output source) {
      if (!source.valid() || !DependsOnX(source) || next[source.node] >= 0) return;
      next[source.node] = at;
      todo.push_back(source.node);
    });
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
    const NodeId at = todo[i];
    ForSources(graph_.node(at), [&](Output source) {
      if (!source.valid() || !DependsOnX(source) || next[source.node] >= 0) return;
      next[source.node] = at;
      todo.push_back(source.node);
    });
  }
  std::vector<NodeId> path;
  for (NodeId at = node; at >= 0 && next[at] != at; at = next[at]) path.push_back(next[at]);
  return path;
}

std::string Dependency::PathThrough(NodeId node, NodeId source) const {
  std::vector<NodeId> path = PathFromX(source < 0 ? node : source);
  if (source >= 0) path.push_back(source);
  path.push_back(node);
  const std::vector<NodeId> rest = PathToY(node);
  path.insert(path.end(), rest.begin(), rest.end());
  return JoinNames(graph_, path);
}

}  // namespace dfrun
