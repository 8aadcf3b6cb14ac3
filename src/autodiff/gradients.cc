#include "src/autodiff/gradients.h"

#include <algorithm>

#include "src/autodiff/dependency.h"
#include "src/autodiff/differentiation.h"
#include "src/autodiff/gradient_sum.h"

namespace dfrun {
namespace {

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
  return Differentiation(graph, ys, xs, options, UniqueScope(graph, options.scope)).Run();
}

Result<Output> DenseGradient(Graph& graph, const GradientValue& gradient, Output x, const std::string& name) {
  DF_CHECK(gradient.exists);
  if (!gradient.is_sparse) return gradient.dense;
  NodeAdder adder(graph, name + "/", SiteOf(graph, gradient));
  const Output dense = ScatterToDense(graph, adder, gradient, x);
  DF_TRY(adder.status());
  return dense;
}

}  // namespace dfrun
