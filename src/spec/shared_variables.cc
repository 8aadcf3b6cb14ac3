#include "src/spec/shared_variables.h"

#include <unordered_map>
#include <utility>
#include <vector>

#include "src/graph/order/ancestors.h"

namespace dfrun {
namespace {

std::string TextAttr(const Node& node, const char* name) {
  const AttrValue* const value = node.attrs.Find(name);
  const std::string* const text = value == nullptr ? nullptr : value->get<std::string>();
  return text == nullptr ? "" : *text;
}

const char* TextOf(VariableSpec::Reduce reduce) {
  switch (reduce) {
    case VariableSpec::Reduce::kUnsaid:
      return "no reduce";
    case VariableSpec::Reduce::kMean:
      return "reduce: mean";
    case VariableSpec::Reduce::kSum:
      return "reduce: sum";
    case VariableSpec::Reduce::kFirst:
      return "reduce: first";
  }
  return "";
}

// All that a spec says of a variable but for its first value.
std::string Describe(const VariableSpec& variable, const Graph& graph) {
  const Node& node = graph.node(variable.node);
  std::string text = StrCat(node.output_types[0].dtype, node.output_shapes[0],
                            variable.trainable ? "" : ", not trained", variable.finite ? "" : ", finite: false");
  if (variable.reduce != VariableSpec::Reduce::kUnsaid) text += StrCat(", ", TextOf(variable.reduce));
  for (const char* attr : {"container", "shared_name"}) {
    const std::string value = TextAttr(node, attr);
    if (!value.empty()) text += StrCat(", ", attr, " '", value, "'");
  }
  return text;
}

std::unordered_map<std::string, const VariableSpec*> ByName(const BuiltForm& form) {
  std::unordered_map<std::string, const VariableSpec*> by_name;
  for (const VariableSpec& variable : form.lowering.variables()) {
    by_name.emplace(form.graph.node(variable.node).name, &variable);
  }
  return by_name;
}

void CheckSame(const BuiltForm& training, const BuiltForm& evaluation, Diagnostics& diagnostics) {
  const auto others = ByName(training);
  for (const VariableSpec& variable : evaluation.lowering.variables()) {
    const Node& node = evaluation.graph.node(variable.node);
    const auto other = others.find(node.name);
    if (other == others.end()) continue;
    const std::string here = Describe(variable, evaluation.graph);
    const std::string there = Describe(*other->second, training.graph);
    if (here == there) continue;
    diagnostics.Error(node.location, "variable '", node.name, "' is ", there, " in training and ", here,
                      " elsewhere; variables are the same in both");
  }
}

// Copies nodes, of which only those behind first values are asked for.
class Copier {
 public:
  Copier(const Graph& from, Graph& to) : from_(from), to_(to) {}

  Status Copy(const VariableSpec& variable) {
    AncestorWalk walk(from_);
    walk.Add(variable.node);
    walk.Add(variable.init.node);
    while (const Node* node = walk.Next()) walk.AddSources(*node);
    if (order_.empty()) {
      DF_ASSIGN(order_, from_.TopologicalOrder());
    }
    std::vector<NodeId> body;
    for (const NodeId id : order_) {
      if (walk.added()[static_cast<size_t>(id)] && !copies_.contains(id)) body.push_back(id);
    }
    for (const NodeId id : body) DF_TRY(Add(from_.node(id)));
    return CloseLoops(body);
  }
  NodeId CopyOf(NodeId id) const { return copies_.at(id); }

 private:
  Status Add(const Node& node) {
    NodeSpec spec;
    spec.name = to_.UniqueName(node.name);
    spec.op = node.op->name;
    spec.attrs = node.attrs;
    spec.device = node.device;
    spec.colocate_with = node.colocate_with;
    spec.location = node.location;
    for (const Output input : node.inputs) {
      const auto copy = copies_.find(input.node);
      spec.inputs.push_back(copy == copies_.end() ? Output() : Output{copy->second, input.port});
    }
    for (const NodeId control : node.control_inputs) spec.control_inputs.push_back(copies_.at(control));
    DF_ASSIGN(const NodeId added, to_.AddNode(std::move(spec)));
    copies_[node.id] = added;
    return Status();
  }

  Status CloseLoops(const std::vector<NodeId>& body) {
    bool any = false;
    for (const NodeId id : body) {
      const Node& node = from_.node(id);
      for (int i = 0; i < node.num_inputs(); ++i) {
        if (!from_.IsBackEdge(node, i)) continue;
        const Output input = node.inputs[i];
        DF_TRY(to_.SetInput(copies_.at(id), i, {copies_.at(input.node), input.port}));
        any = true;
      }
    }
    return any ? to_.InferShapes() : Status();
  }

  const Graph& from_;
  Graph& to_;
  std::vector<NodeId> order_;  // all nodes of `from_`, once one is copied
  std::unordered_map<NodeId, NodeId> copies_;
};

void AddMissing(const BuiltForm& from, const BuiltForm& to, Diagnostics& diagnostics) {
  const auto there = ByName(to);
  Copier copier(from.graph, to.graph);
  for (const VariableSpec& variable : from.lowering.variables()) {
    const Node& node = from.graph.node(variable.node);
    if (there.contains(node.name)) continue;
    if (to.graph.Find(node.name) >= 0) {
      diagnostics.Error(node.location, "'", node.name, "' is a variable in one mode and another node in the other; ",
                        "variables are the same in both");
      continue;
    }
    if (const Status status = copier.Copy(variable); !status.ok()) {
      diagnostics.Error(node.location, status);
      continue;
    }
    VariableSpec copy = variable;
    copy.node = copier.CopyOf(variable.node);
    copy.init = {copier.CopyOf(variable.init.node), variable.init.port};
    to.lowering.AddVariable(copy);
  }
}

}  // namespace

void ShareVariables(const BuiltForm& training, const BuiltForm& evaluation, Diagnostics& diagnostics) {
  CheckSame(training, evaluation, diagnostics);
  if (!diagnostics.ok()) return;
  AddMissing(training, evaluation, diagnostics);
  AddMissing(evaluation, training, diagnostics);
}

}  // namespace dfrun
