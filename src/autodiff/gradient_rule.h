// Which gradient function a node has: its op's, or that of another op, which the node's attr _gradient_op_type names.
// Source: TensorFlow's Graph.gradient_override_map, which writes the attr.
#ifndef DFRUN_SRC_AUTODIFF_GRADIENT_RULE_H_
#define DFRUN_SRC_AUTODIFF_GRADIENT_RULE_H_

#include "src/graph/graph.h"

namespace dfrun {

// What _gradient_op_type says; empty: nothing.
std::string_view NamedGradient(const Node& node);

// The op whose gradient the node has; null where it names one that is no op: gradients that a program registers under
// names of its own are not in its graphs.
const OpDef* GradientRule(const Graph& graph, const Node& node);

// Gradients go on through the node, or it is an error that they do not.
bool PassesGradients(const Graph& graph, const Node& node);

// The attrs that `rule`'s gradient function may ask for: the node's own, and what its inputs imply for the rule's op.
// InvalidArgument: the node is not of the form of that op.
Result<AttrMap> AttrsForRule(const Graph& graph, const Node& node, const OpDef& rule);

}  // namespace dfrun

#endif  // DFRUN_SRC_AUTODIFF_GRADIENT_RULE_H_
