// GraphDef bytes and text to the message and back.
#ifndef DFRUN_SRC_GRAPH_GRAPH_DEF_PARSE_H_
#define DFRUN_SRC_GRAPH_GRAPH_DEF_PARSE_H_

#include <string>
#include <string_view>

#include "src/base/status.h"
#include "src/graph/graph_def.h"
#include "src/graph/proto/graph.pb.h"

namespace dfrun {

// InvalidArgument with line and column for text; nesting and size are bounded.
Status ParseGraphDef(std::string_view data, GraphDefFormat format, proto::GraphDef& def);
// The same for another message, in whose text fields that it lacks are passed over.
Status ParseMessage(std::string_view data, GraphDefFormat format, google::protobuf::Message& message);
// ImportGraphDef() of a message; what it holds is used up.
Result<Graph> ImportParsed(proto::GraphDef& def, const OpRegistry& ops);
// Maps are written in the order of their keys.
std::string SerializeDeterministically(const google::protobuf::MessageLite& message);
std::string PrintGraphDef(const proto::GraphDef& def);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_GRAPH_DEF_PARSE_H_
