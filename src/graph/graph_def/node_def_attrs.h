// Converts the attrs of a NodeDef to those of a node that is to be added.
#ifndef DFRUN_SRC_GRAPH_GRAPH_DEF_NODE_DEF_ATTRS_H_
#define DFRUN_SRC_GRAPH_GRAPH_DEF_NODE_DEF_ATTRS_H_

#include <string>

#include "src/graph/graph.h"
#include "src/graph/graph_def/tensor_proto.h"
#include "src/graph/proto/node_def.pb.h"

namespace dfrun {

using ProtoAttrs = google::protobuf::Map<std::string, proto::AttrValue>;

// Moves the attrs that the op knows, and those of the system, into `spec`; the first node that `_class` names becomes
// spec.colocate_with. The attrs that remain in `attrs` have no meaning here. InvalidArgument names the attr.
Status TakeAttrs(const OpDef& op, ProtoAttrs& attrs, ExpansionBudget& budget, NodeSpec& spec);

// Names an attr that the op does not know and whose value asks for something ("unknown attr 'stride' of Conv2D, did you
// mean 'strides'?"); empty: none.
std::string UnknownAttrOf(const OpDef& op, const ProtoAttrs& attrs);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_GRAPH_DEF_NODE_DEF_ATTRS_H_
