#include "src/autodiff/gradient_rule.h"

#include <vector>

namespace dfrun {

std::string_view NamedGradient(const Node& node) {
  const AttrValue* named = node.attrs.Find("_gradient_op_type");
  const std::string* name = named == nullptr ? nullptr : named->get<std::string>();
  return name == nullptr ? std::string_view() : std::string_view(*name);
}

const OpDef* GradientRule(const Graph& graph, const Node& node) {
  const std::string_view named = NamedGradient(node);
  return named.empty() ? node.op : graph.ops().Find(named);
}

GradientFlow FlowThrough(const Graph& graph, const Node& node, int input, int output) {
  const OpDef* rule = GradientRule(graph, node);
  if (rule == nullptr) return GradientFlow::kNone;
  if (rule->traits.passthrough == Passthrough::kEachInput && input != output) return GradientFlow::kZero;
  if (rule->gradient_flow_of.empty()) return rule->gradient_flow;
  return rule->FlowBetween(ArgOf(rule->inputs, node.attrs, input), ArgOf(rule->outputs, node.attrs, output));
}

Result<AttrMap> AttrsForRule(const Graph& graph, const Node& node, const OpDef& rule) {
  if (&rule == node.op) return node.attrs;
  AttrMap attrs;
  for (const AttrDef& wanted : rule.attrs) {
    const AttrValue* own = node.attrs.Find(wanted.name);
    if (own != nullptr) attrs.Set(wanted.name, *own);
  }
  std::vector<TypedArg> inputs;
  for (const Output& input : node.inputs) inputs.push_back({graph.dtype(input), graph.is_ref(input)});
  const std::string what = StrCat(graph.Describe(node.id), " asks for the gradient of ", rule.name);
  DF_TRY(ResolveAttrs(rule, inputs, attrs).Annotate(what));
  DF_ASSIGN(const std::vector<TypedArg> outputs, ExpandArgs(rule.outputs, attrs));
  if (outputs.size() == node.output_types.size()) return attrs;
  return InvalidArgument(what, ", which has ", outputs.size(), " outputs where the node has ",
                         node.output_types.size());
}

}  // namespace dfrun
