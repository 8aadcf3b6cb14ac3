// Converts attr values to and from the public GraphDef messages.
#ifndef DFRUN_SRC_GRAPH_GRAPH_DEF_ATTR_PROTO_H_
#define DFRUN_SRC_GRAPH_GRAPH_DEF_ATTR_PROTO_H_

#include <string_view>

#include "src/framework/values/attr.h"
#include "src/graph/graph_def/tensor_proto.h"
#include "src/graph/proto/attr_value.pb.h"

namespace dfrun {

void AttrToProto(const AttrValue& value, proto::AttrValue& out);
// `type` is the attr's type in the op's definition ("list(shape)"), which an empty list does not show; "" if unknown.
Result<AttrValue> AttrFromProto(const proto::AttrValue& proto, std::string_view type, ExpansionBudget& budget);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_GRAPH_DEF_ATTR_PROTO_H_
