// What a GraphDef asks for that this program does not have.
//
// A node that cannot be read as what it is (an op that is not known here, an attr that its op does not know, a call of
// a function in which there is such a node) becomes a node of the op `_UnknownOp`, which stands for it: it keeps its
// name, inputs and device, and its export is as it came. Only a run that needs it is refused; who feeds its outputs
// does not.
#ifndef DFRUN_SRC_GRAPH_UNKNOWN_OPS_H_
#define DFRUN_SRC_GRAPH_UNKNOWN_OPS_H_

#include <string>
#include <vector>

#include "src/framework/op.h"
#include "src/graph/graph.h"
#include "src/graph/proto/graph.pb.h"

namespace dfrun {

inline constexpr char kUnknownOp[] = "_UnknownOp";

// By node of `def`: why it cannot be read ("unknown op 'Convv2D', did you mean 'Conv2D'?"); empty: it can. Nodes that
// take a ref from one that cannot are among them, since what stands for it gives values.
std::vector<std::string> FindUnknownNodes(const proto::GraphDef& def, const OpRegistry& ops);

// By output of an unknown node, the dtypes that its readers, else its own attrs, say they have; kInvalid where neither
// does. An output for each that is read, and one at least.
using UnknownNodeOutputs = std::vector<std::vector<DType>>;

// By node of `def`; empty for those that are known. `why` is that of FindUnknownNodes(). InvalidArgument where readers
// ask for millions of outputs.
Result<UnknownNodeOutputs> TypeUnknownOutputs(const proto::GraphDef& def, const std::vector<std::string>& why,
                                              const OpRegistry& ops);

inline bool IsUnknown(const Node& node) {
  return node.op->name == kUnknownOp;
}
// The op as the GraphDef calls it.
std::string OpNameOf(const Node& node);

// What is unknown among the nodes for which `needed`, a line each kind with the first of its nodes; empty: nothing.
std::string ListUnknown(const Graph& graph, const std::vector<bool>& needed);
// Among all nodes.
std::string ListUnknown(const Graph& graph);

// InvalidArgument that lists the unknown nodes among those that a run needs, and says what it can do without them.
Status CheckKnown(const Graph& graph, const std::vector<bool>& needed);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_UNKNOWN_OPS_H_
