#include "src/autodiff/gradients.h"

#include <algorithm>
#include <utility>

#include "src/autodiff/dependency.h"
#include "src/autodiff/gradient_sum.h"
#include "src/autodiff/node_adder.h"
#include "src/autodiff/node_gradient.h"

namespace dfrun {
namespace {

bool IsLoopPrimitive(std::string_view op) {
  constexpr std::string_view kOps[] = {"Enter",    "Exit",    "NextIteration",   "LoopCond",
                                       "RefEnter", "RefExit", "RefNextIteration"};
  return std::find(std::begin(kOps), std::end(kOps), op) != std::end(kOps);
}

// `scope`, or `scope_1`, ...: the first that is no prefix of a node's name.
std::string UniqueScope(const Graph& graph, const std::string& scope) {
  std::vector<bool> taken;  // taken[0]: scope itself, taken[k]: scope_k
  for (const Node& node : graph.nodes()) {
    if (node.name.compare(0, scope.size(), scope) != 0) continue;
    const std::string rest = node.name.substr(scope.size(), node.name.find('/', scope.size()) - scope.size());
    size_t k = 0;
    if (!rest.empty()) {
      if (rest[0] != '_' || rest.size() > 8 || rest.size() < 2) continue;
      if (!std::all_of(rest.begin() + 1, rest.end(), [](char c) { return c >= '0' && c <= '9'; })) continue;
      k = std::stoul(rest.substr(1));
    }
    if (taken.size() <= k) taken.resize(k + 1);
    taken[k] = true;
  }
  const auto free = static_cast<size_t>(std::find(taken.begin(), taken.end(), false) - taken.begin());
  return free == 0 ? scope : StrCat(scope, "_", free);
}

Status CheckValue(const Graph& graph, std::string_view what, Output value) {
  if (value.node < 0 || value.node >= graph.num_nodes() || value.port < 0 ||
      value.port >= graph.node(value.node).num_outputs()) {
    return InvalidArgument("a gradient's ", what, " is no output of the graph (node ", value.node, ", port ",
                           value.port, ")");
  }
  return Status();
}

// One call of AddGradients().
class Differentiation {
 public:
  Differentiation(Graph& graph, std::span<const Output> ys, std::span<const Output> xs, const GradientOptions& options)
      : graph_(graph),
        ys_(ys),
        xs_(xs),
        options_(options),
        scope_(UniqueScope(graph, options.scope)),
        dependency_(graph, ys, xs),
        parts_(dependency_.num_values()) {}

  Result<std::vector<GradientValue>> Run() {
    DF_ASSIGN(const std::vector<NodeId> order, graph_.TopologicalOrder());
    DF_TRY(Seed());
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
      if (dependency_.IsBetween(*it)) DF_TRY(Visit(*it));
    }
    std::vector<GradientValue> gradients;
    for (Output x : xs_) {
      const std::vector<GradientValue>& parts = parts_[dependency_.Index(x)];
      gradients.push_back(parts.empty() ? GradientValue() : parts[0]);
    }
    return gradients;
  }

 private:
  Status Seed() {
    for (size_t k = 0; k < ys_.size(); ++k) {
      const Output y = ys_[k];
      if (!dependency_.DependsOnX(y)) continue;
      const bool given = k < options_.grad_ys.size() && options_.grad_ys[k].valid();
      NodeAdder adder(graph_, StrCat(scope_, "/grad_ys_", k, "/"), graph_.node(y.node).name);
      const Output seed = given ? options_.grad_ys[k] : Ones(adder, y);
      DF_TRY(adder.status());
      parts_[dependency_.Index(y)].push_back(GradientValue::Dense(seed));
    }
    return Status();
  }

  Output Ones(NodeAdder& adder, Output y) const {
    if (graph_.shape(y).rank() == 0) return adder.Scalar(graph_.dtype(y), 1);
    return adder.Add("OnesLike", {y});
  }

  // All readers have been visited: sums what came from them, and passes it on.
  Status Visit(NodeId id) {
    DF_ASSIGN(std::vector<GradientValue> dys, SumOutputs(id));
    const bool reached = std::any_of(dys.begin(), dys.end(), [](const GradientValue& dy) { return dy.exists; });
    if (!reached || !dependency_.IsPassedThrough(id)) return Status();
    const OpDef& op = *graph_.node(id).op;
    if (IsLoopPrimitive(op.name)) {
      return Unimplemented(graph_.Describe(id), ": gradients through loops are not there; the path is ",
                           dependency_.PathThrough(id), "; StopGradient before the loop leaves it out");
    }
    if (!op.gradient) {
      return InvalidArgument(graph_.Describe(id), ": op ", op.name, " has no gradient; it is needed on the path ",
                             dependency_.PathThrough(id), "; StopGradient ends a path that is not meant");
    }
    NodeGradient builder(graph_, id, scope_, std::move(dys));
    op.gradient(builder);
    DF_TRY(builder.status().Annotate(StrCat("adding the gradient of ", graph_.Describe(id))));
    for (int i = 0; i < builder.num_inputs(); ++i) {
      const GradientValue& dx = builder.dxs()[i];
      if (dx.exists && dependency_.DependsOnX(builder.x(i))) parts_[dependency_.Index(builder.x(i))].push_back(dx);
    }
    return Status();
  }

  Result<std::vector<GradientValue>> SumOutputs(NodeId id) {
    std::vector<GradientValue> sums;
    for (int port = 0; port < graph_.node(id).num_outputs(); ++port) {
      std::vector<GradientValue>& parts = parts_[dependency_.Index({id, port})];
      NodeAdder adder(graph_, GradientPrefix(scope_, graph_.node(id).name),
                      parts.empty() ? "" : HomeOf(graph_, parts[0]));
      sums.push_back(SumGradients(graph_, adder, parts, {id, port}));
      DF_TRY(adder.status().Annotate(StrCat("adding up the gradients of ", graph_.Describe(id))));
      if (parts.size() > 1) parts = {sums.back()};
    }
    return sums;
  }

  Graph& graph_;
  const std::span<const Output> ys_;
  const std::span<const Output> xs_;
  const GradientOptions& options_;
  const std::string scope_;
  const Dependency dependency_;
  std::vector<std::vector<GradientValue>> parts_;  // by Dependency::Index(), in the order in which they came
};

Status CheckGradY(const Graph& graph, Output y, Output grad_y) {
  DF_TRY(CheckValue(graph, "grad_y", grad_y));
  if (graph.dtype(grad_y) == graph.dtype(y) && graph.shape(grad_y).IsCompatibleWith(graph.shape(y))) return Status();
  return InvalidArgument("the gradient '", OutputName(graph, grad_y), "' (", graph.dtype(grad_y), graph.shape(grad_y),
                         ") that is given for '", OutputName(graph, y), "' is not like it (", graph.dtype(y),
                         graph.shape(y), ")");
}

Status CheckArguments(const Graph& graph, std::span<const Output> ys, std::span<const Output> xs,
                      const GradientOptions& options) {
  for (Output x : xs) {
    DF_TRY(CheckValue(graph, "x", x));
    if (IsDifferentiable(graph.dtype(x))) continue;
    return InvalidArgument("cannot differentiate with respect to '", OutputName(graph, x), "': it is ", graph.dtype(x),
                           ", and only floating-point and complex values have gradients");
  }
  for (Output y : ys) {
    DF_TRY(CheckValue(graph, "y", y));
    if (IsDifferentiable(graph.dtype(y)) && graph.dtype(y) != DType::kResource) continue;
    return InvalidArgument("cannot differentiate '", OutputName(graph, y), "': it is ", graph.dtype(y),
                           ", and only floating-point and complex values have gradients");
  }
  if (options.grad_ys.size() > ys.size()) {
    return InvalidArgument(options.grad_ys.size(), " gradients are given for ", ys.size(), " values");
  }
  for (size_t k = 0; k < options.grad_ys.size(); ++k) {
    if (options.grad_ys[k].valid()) DF_TRY(CheckGradY(graph, ys[k], options.grad_ys[k]));
  }
  return Status();
}

}  // namespace

Result<std::vector<GradientValue>> AddGradients(Graph& graph, std::span<const Output> ys, std::span<const Output> xs,
                                                const GradientOptions& options) {
  DF_TRY(CheckArguments(graph, ys, xs, options));
  return Differentiation(graph, ys, xs, options).Run();
}

}  // namespace dfrun
