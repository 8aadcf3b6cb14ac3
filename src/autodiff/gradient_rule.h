// The gradient function of a node: its op's, or that of another op, which the node's attr _gradient_op_type names.
// Source: TensorFlow's Graph.gradient_override_map, which writes the attr.
#ifndef DFRUN_SRC_AUTODIFF_GRADIENT_RULE_H_
#define DFRUN_SRC_AUTODIFF_GRADIENT_RULE_H_

#include "src/graph/graph.h"

namespace dfrun {

// The value of _gradient_op_type; empty: the node has none.
std::string_view NamedGradient(const Node& node);

// The op whose gradient the node has; null where it names one that is no op: gradients that a program registers under
// names of its own are not in its graphs.
const OpDef* GradientRule(const Graph& graph, const Node& node);

// The flow of a gradient between these two, by the rule; kNone where there is no rule. Output -1: the node has no
// outputs.
GradientFlow FlowThrough(const Graph& graph, const Node& node, int input, int output);

// A gradient goes on from the output to the input, or it is an error that it does not.
inline bool PassesGradient(const Graph& graph, const Node& node, int input, int output) {
  const GradientFlow flow = FlowThrough(graph, node, input, output);
  return flow == GradientFlow::kFlows || flow == GradientFlow::kNone;
}

// Returns the attrs that `rule`'s gradient function may ask for: the node's own, and those that its inputs imply for
// the rule's op. InvalidArgument: the node is not of the form of that op.
Result<AttrMap> AttrsForRule(const Graph& graph, const Node& node, const OpDef& rule);

}  // namespace dfrun

#endif  // DFRUN_SRC_AUTODIFF_GRADIENT_RULE_H_
