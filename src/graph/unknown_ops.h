// What a GraphDef asks for that this program does not have.
#ifndef DFRUN_SRC_GRAPH_UNKNOWN_OPS_H_
#define DFRUN_SRC_GRAPH_UNKNOWN_OPS_H_

#include "src/framework/op.h"
#include "src/graph/proto/graph.pb.h"

namespace dfrun {

// InvalidArgument that lists every op without a definition, with a node of each and a near name: those of the nodes,
// and those of the functions that the nodes use.
Status CheckOpsKnown(const proto::GraphDef& def, const OpRegistry& ops);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_UNKNOWN_OPS_H_
