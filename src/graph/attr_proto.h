// Attr values as the public GraphDef messages write them.
#ifndef DFRUN_SRC_GRAPH_ATTR_PROTO_H_
#define DFRUN_SRC_GRAPH_ATTR_PROTO_H_

#include <string_view>

#include "src/framework/attr.h"
#include "src/graph/proto/attr_value.pb.h"
#include "src/graph/tensor_proto.h"

namespace dfrun {

void AttrToProto(const AttrValue& value, proto::AttrValue& out);
// `type` is what the op's definition says ("list(shape)"), which an empty list does not tell itself; "" if unknown.
Result<AttrValue> AttrFromProto(const proto::AttrValue& proto, std::string_view type, ExpansionBudget& budget);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_ATTR_PROTO_H_
