// Nodes of a GraphDef that this program cannot read.
//
// A node that cannot be read (its op is not known here, its op does not know an attr, it calls a function with such a
// node), or that cannot be (its op does not take inputs of these dtypes or shapes), is replaced by a node of the op
// `_UnknownOp` with the same name, inputs and device; its export is the original node. Only a run that needs it is
// refused; a run that feeds its outputs does not need it.
#ifndef DFRUN_SRC_GRAPH_GRAPH_DEF_UNKNOWN_OPS_H_
#define DFRUN_SRC_GRAPH_GRAPH_DEF_UNKNOWN_OPS_H_

#include <string>
#include <vector>

#include "src/framework/op/op.h"
#include "src/graph/graph.h"
#include "src/graph/proto/graph.pb.h"

namespace dfrun {

inline constexpr char kUnknownOp[] = "_UnknownOp";

// Returns for each node of `def` the reason for which it cannot be read ("unknown op 'Convv2D', did you mean
// 'Conv2D'?"); empty: it can. A node that takes a ref from an unknown node is unknown too, because the outputs of
// `_UnknownOp` are values.
std::vector<std::string> FindUnknownNodes(const proto::GraphDef& def, const OpRegistry& ops);

// The dtypes of an unknown node's outputs, as its readers or else its own attrs give them; kInvalid if neither does.
// There is one for each output that is read, and at least one.
using UnknownNodeOutputs = std::vector<std::vector<DType>>;

// Returns them by node of `def`; empty for known nodes. `why` is the result of FindUnknownNodes(). InvalidArgument if
// readers ask for millions of outputs.
Result<UnknownNodeOutputs> TypeUnknownOutputs(const proto::GraphDef& def, const std::vector<std::string>& why,
                                              const OpRegistry& ops);

inline bool IsUnknown(const Node& node) {
  return node.op->name == kUnknownOp;
}
// The name of the op in the GraphDef.
std::string OpNameOf(const Node& node);

// Lists the unknown nodes among those that are `needed`: a line for each reason, with the first of its nodes; empty if
// there are none.
std::string ListUnknown(const Graph& graph, const std::vector<bool>& needed);
// Lists all unknown nodes.
std::string ListUnknown(const Graph& graph);

// Returns InvalidArgument if a run needs unknown nodes; it lists them and says how to run without them.
Status CheckKnown(const Graph& graph, const std::vector<bool>& needed);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_GRAPH_DEF_UNKNOWN_OPS_H_
