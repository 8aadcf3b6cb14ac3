// Parses and prints GraphDef messages, as bytes and as text.
#ifndef DFRUN_SRC_GRAPH_GRAPH_DEF_GRAPH_DEF_PARSE_H_
#define DFRUN_SRC_GRAPH_GRAPH_DEF_GRAPH_DEF_PARSE_H_

#include <string>
#include <string_view>

#include "src/base/status.h"
#include "src/graph/graph_def/graph_def.h"
#include "src/graph/proto/graph.pb.h"

namespace dfrun {

// Returns InvalidArgument with line and column for text; nesting and size are bounded.
Status ParseGraphDef(std::string_view data, GraphDefFormat format, proto::GraphDef& def);
// Parses another message likewise. Unknown fields of its text form are skipped.
Status ParseMessage(std::string_view data, GraphDefFormat format, google::protobuf::Message& message);
// ImportGraphDef() of a message, whose content is moved from.
Result<Graph> ImportParsed(proto::GraphDef& def, const OpRegistry& ops);
// Maps are written in the order of their keys.
std::string SerializeDeterministically(const google::protobuf::MessageLite& message);
std::string PrintGraphDef(const proto::GraphDef& def);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_GRAPH_DEF_GRAPH_DEF_PARSE_H_
