#include "src/autodiff/gradient_ends.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include "src/autodiff/dependency.h"
#include "src/autodiff/gradient_rule.h"
#include "src/autodiff/gradients.h"
#include "src/graph/object_handle.h"
#include "src/graph/order/ancestors.h"
#include "src/graph/order/has_refs.h"

namespace dfrun {
namespace {

// The name of the object that a node makes or finds.
std::string ObjectOf(const Node& node) {
  const AttrValue* const container = node.attrs.Find("container");
  const std::string* const name = container == nullptr ? nullptr : container->get<std::string>();
  return StrCat(name == nullptr ? "" : *name, "\n", NamesObject(node) ? NameOfObject(node) : node.name);
}

// One call of FindGradientEnds().
class EndFinder {
 public:
  EndFinder(const Graph& graph, std::span<const Output> ys, std::span<const Output> xs)
      : graph_(graph), ys_(ys), dependency_(graph, ys, xs) {
    for (Output x : xs) xs_.insert(ObjectOf(graph.node(x.node)));
    FindRead();
  }

  // `end` is not sure before Confirm(): a y may change with `behind`.
  struct Candidate {
    GradientEnd end;
    std::vector<Output> behind;
  };
  void FindAt(const Node& node, int input, std::vector<Candidate>& found) const {
    if (!node.inputs[input].valid() || !dependency_.DependsOnX(node.inputs[input])) return;
    for (int port = node.num_outputs() == 0 ? -1 : 0; port < node.num_outputs(); ++port) {
      const GradientFlow flow = FlowThrough(graph_, node, input, port);
      std::vector<Output> behind;
      if (port >= 0 && read_[static_cast<size_t>(node.id)]) behind.push_back({node.id, port});
      if (flow == GradientFlow::kState) AddReads(node, behind);
      const bool changes_form =
          flow == GradientFlow::kNone && port >= 0 && !IsDifferentiable(node.output_types[port].dtype);
      const bool ends = flow == GradientFlow::kState || flow == GradientFlow::kDraw || changes_form;
      if (ends && !behind.empty()) found.push_back({{node.id, input, flow}, std::move(behind)});
    }
  }

  // Returns the ends of the candidates behind which a gradient of a y would come, by the ops' gradients. Values that
  // have no gradient by dtype count as read, and so do those that go through state again.
  std::vector<GradientEnd> Confirm(const std::vector<Candidate>& candidates) const {
    std::vector<Output> behind;
    for (const Candidate& candidate : candidates) {
      std::copy_if(candidate.behind.begin(), candidate.behind.end(), std::back_inserter(behind),
                   [&](Output value) { return IsDifferentiable(graph_.dtype(value)); });
    }
    const Consumers consumers = graph_.BuildConsumers();
    Graph graph = graph_.Clone();
    const Result<std::vector<GradientValue>> gradients = AddGradients(graph, ys_, behind);
    const auto changes_y = [&](Output value) {
      const auto at = std::find(behind.begin(), behind.end(), value) - behind.begin();
      return !gradients.ok() || at == std::ssize(behind) || (*gradients)[static_cast<size_t>(at)].exists ||
             GoesThroughState(value, consumers);
    };
    std::vector<GradientEnd> ends;
    for (const Candidate& candidate : candidates) {
      if (std::any_of(candidate.behind.begin(), candidate.behind.end(), changes_y)) ends.push_back(candidate.end);
    }
    return ends;
  }

 private:
  // Finds the nodes that a y may change with, whether gradients flow there or not, and the values out of objects there.
  void FindRead() {
    AncestorWalk walk(graph_);
    for (Output y : ys_) walk.Add(y.node);
    while (const Node* node = walk.Next()) {
      for (int i = 0; i < node->num_inputs(); ++i) {
        if (MayChangeWith(*node, i)) walk.Add(node->inputs[i].node);
      }
      for (const std::string& object : ObjectsOf(*node)) {
        for (int port = 0; port < node->num_outputs(); ++port) {
          if (GivesContents(*node, port)) reads_[object].push_back({node->id, port});
        }
      }
    }
    read_ = std::move(walk).added();
  }

  // Whether the input is the side that a Select with a constant condition never takes, as in a choice between a batch's
  // statistics and moving averages.
  bool IsNeverChosen(const Node& node, int input) const {
    if (input == 0 || !node.op->traits.chooses) return false;
    const Tensor* const chosen = graph_.ConstantValue(node.inputs[0]);
    return chosen != nullptr && chosen->num_elements() == 1 && *chosen->data<bool>() == (input == 2);
  }

  bool GoesThroughState(Output value, const Consumers& consumers) const {
    const auto edges = consumers.of(value.node);
    return std::any_of(edges.begin(), edges.end(), [&](const Consumers::Edge& edge) {
      const Node& reader = graph_.node(edge.node);
      return edge.port == value.port && read_[static_cast<size_t>(reader.id)] && reader.num_outputs() > 0 &&
             FlowThrough(graph_, reader, edge.input, 0) == GradientFlow::kState;
    });
  }

  bool MayChangeWith(const Node& node, int input) const {
    if (IsNeverChosen(node, input)) return false;
    for (int port = 0; port < node.num_outputs(); ++port) {
      const GradientFlow flow = FlowThrough(graph_, node, input, port);
      if (flow != GradientFlow::kZero && flow != GradientFlow::kStopped) return true;
    }
    return false;
  }

  // A variable by itself; an element of a queue, a value of a table.
  bool GivesContents(const Node& node, int port) const {
    if (NamesObject(node)) return node.op->traits.is_variable;
    return node.num_inputs() > 0 && FlowThrough(graph_, node, 0, port) == GradientFlow::kState;
  }

  // The objects whose references or handles the node has, or is.
  std::vector<std::string> ObjectsOf(const Node& node) const {
    if (NamesObject(node)) return {ObjectOf(node)};
    std::vector<std::string> objects;
    if (!HasRefInput(node) && !HasHandleInput(node)) return objects;
    AncestorWalk walk(graph_);
    walk.Add(node.id);
    while (const Node* at = walk.Next()) {
      for (int i = 0; i < at->num_inputs(); ++i) {
        if (at->input_types[i].is_ref || at->input_types[i].dtype == DType::kResource) walk.Add(at->inputs[i].node);
      }
      if (NamesObject(*at)) objects.push_back(ObjectOf(*at));
    }
    return objects;
  }

  // Adds the values out of the node's objects that a y may change with.
  void AddReads(const Node& node, std::vector<Output>& behind) const {
    for (const std::string& object : ObjectsOf(node)) {
      const auto found = reads_.find(object);
      if (found == reads_.end() || xs_.contains(object)) continue;
      behind.insert(behind.end(), found->second.begin(), found->second.end());
    }
  }

  const Graph& graph_;
  const std::span<const Output> ys_;
  const Dependency dependency_;
  std::vector<bool> read_;                            // by node
  std::map<std::string, std::vector<Output>> reads_;  // by object
  std::set<std::string> xs_;
};

}  // namespace

std::vector<GradientEnd> FindGradientEnds(const Graph& graph, std::span<const Output> ys, std::span<const Output> xs,
                                          const std::vector<bool>& runs) {
  const EndFinder finder(graph, ys, xs);
  std::vector<EndFinder::Candidate> candidates;
  for (const Node& node : graph.nodes()) {
    if (!runs[static_cast<size_t>(node.id)]) continue;
    for (int i = 0; i < node.num_inputs(); ++i) finder.FindAt(node, i, candidates);
  }
  if (candidates.empty()) return {};
  return finder.Confirm(candidates);
}

}  // namespace dfrun
