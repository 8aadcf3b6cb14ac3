#include "src/training/warnings/loss_reach.h"

#include <algorithm>
#include <vector>

#include "src/autodiff/dependency.h"
#include "src/autodiff/gradient_ends.h"
#include "src/autodiff/gradient_rule.h"
#include "src/base/text.h"
#include "src/graph/location_prefix.h"
#include "src/graph/order/ancestors.h"
#include "src/graph/order/variable_readers.h"

namespace dfrun {
namespace {

constexpr size_t kMaxNamed = 10;

// "'a', 'b' and 3 more".
std::string NameSome(const std::vector<std::string>& names) {
  const size_t shown = std::min(names.size(), kMaxNamed);
  const std::string text =
      Join(std::vector<std::string>(names.begin(), names.begin() + static_cast<int64_t>(shown)), ", ");
  return names.size() == shown ? text : StrCat(text, " and ", names.size() - shown, " more");
}

// "spec.yaml:3:5: train.loss 'loss'".
std::string NameLoss(const LoadedSpec& spec) {
  return StrCat(LocationPrefix(spec.graph, spec.job.train->loss_location), "train.loss '",
                OutputName(spec.graph, spec.job.train->loss), "'");
}

std::vector<Output> TrainedVariables(const LoadedSpec& spec) {
  std::vector<Output> trained;
  for (const VariableSpec& variable : spec.job.variables) {
    if (variable.is_trained()) trained.push_back({variable.node, 0});
  }
  return trained;
}

// Tells for each node whether it runs in a step that is logged.
std::vector<bool> NodesOfStep(const LoadedSpec& spec) {
  AncestorWalk walk(spec.graph);
  walk.Add(spec.job.train->loss.node);
  for (const Output output : spec.job.summaries.Outputs()) walk.Add(output.node);
  while (const Node* node = walk.Next()) walk.AddSources(*node);
  return std::move(walk).added();
}

// The spec says of the variable itself that it shall have no gradient here, or gives it its values otherwise.
bool IsMeant(const Graph& graph, const Consumers& consumers, const VariableReaders& readers, NodeId variable) {
  std::vector<NodeId> todo = readers.Of(variable);
  std::vector<bool> seen(static_cast<size_t>(graph.num_nodes()), false);
  while (!todo.empty()) {
    const Node& node = graph.node(todo.back());
    todo.pop_back();
    if (seen[static_cast<size_t>(node.id)]) continue;
    seen[static_cast<size_t>(node.id)] = true;
    if (node.op->gradient_flow == GradientFlow::kStopped || MayChangeVariable(node)) return true;
    if (node.op->traits.passthrough == Passthrough::kNone) continue;
    for (const Consumers::Edge& edge : consumers.of(node.id)) {
      if (edge.port >= 0) todo.push_back(edge.node);
    }
  }
  return false;
}

}  // namespace

std::string DescribeUnreached(const LoadedSpec& spec) {
  const Graph& graph = spec.graph;
  const std::vector<Output> trained = TrainedVariables(spec);
  const Output loss[] = {spec.job.train->loss};
  const Dependency dependency(graph, loss, trained);
  const Consumers consumers = graph.BuildConsumers();
  const VariableReaders readers(graph, consumers);
  std::vector<std::string> names;
  for (Output variable : trained) {
    if (dependency.IsBetween(variable.node) || IsMeant(graph, consumers, readers, variable.node)) continue;
    names.push_back(StrCat("'", graph.node(variable.node).name, "'"));
  }
  if (names.empty()) return "";
  return StrCat(NameLoss(spec), " has no gradient for the trained variable", names.size() == 1 ? " " : "s ",
                NameSome(names), ", which no step changes; write 'trainable: false' at what is not to be trained, or ",
                "name it in 'freeze' of 'train', or read it through StopGradient");
}

std::string DescribeFrozenAssigned(const LoadedSpec& spec) {
  const Graph& graph = spec.graph;
  const std::vector<bool> in_step = NodesOfStep(spec);
  const Consumers consumers = graph.BuildConsumers();
  const VariableReaders readers(graph, consumers);
  std::vector<std::string> names;
  for (const VariableSpec& variable : spec.job.variables) {
    if (!variable.frozen) continue;
    const std::vector<NodeId> changers = readers.ChangersOf(variable.node);
    const bool is_assigned = std::any_of(changers.begin(), changers.end(),
                                         [&](NodeId changer) { return in_step[static_cast<size_t>(changer)]; });
    if (is_assigned) names.push_back(StrCat("'", graph.node(variable.node).name, "'"));
  }
  if (names.empty()) return "";
  return StrCat("'freeze' of 'train' names ", NameSome(names), ", which the graph assigns in each step all the same: ",
                "it ends training by gradients alone; patterns that leave these out say that it is meant");
}

std::string DescribeGradientEnds(const LoadedSpec& spec) {
  const std::vector<Output> trained = TrainedVariables(spec);
  const Output loss[] = {spec.job.train->loss};
  std::vector<std::string> names;
  for (const GradientEnd& end : FindGradientEnds(spec.graph, loss, trained, NodesOfStep(spec))) {
    const Node& node = spec.graph.node(end.node);
    const std::string name = StrCat("'", node.name, "' (", node.op->name, ")");
    if (names.empty() || names.back() != name) names.push_back(name);
  }
  if (names.empty()) return "";
  return StrCat(NameLoss(spec), " changes with trained variables by way of ", NameSome(names),
                ", where gradients end: a value that goes into a variable, a queue or a table has none, nor has the ",
                "parameter of a draw or the bits of a number; StopGradient of that value says that it is meant");
}

}  // namespace dfrun
