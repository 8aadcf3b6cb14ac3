// Calls of functions in the older form: a node whose op is the function's name.
#ifndef DFRUN_SRC_GRAPH_GRAPH_DEF_FUNCTION_CALLS_H_
#define DFRUN_SRC_GRAPH_GRAPH_DEF_FUNCTION_CALLS_H_

#include <string>
#include <string_view>
#include <vector>

#include "src/framework/op/op.h"
#include "src/graph/proto/graph.pb.h"

namespace dfrun {

// The attr that marks a call which was in that form.
inline constexpr std::string_view kCalledByNameAttr = "_called_by_name";

// Turns every node whose op is a function of the graph's library, and no op of `ops`, into a PartitionedCall, or a
// StatefulPartitionedCall if the function says that it has state. The bodies of functions stay as they are, and so do
// nodes for which `why_unknown`, by position, says why they cannot be read. InvalidArgument names node and function.
Status RewriteCallsByName(proto::GraphDef& def, const std::vector<std::string>& why_unknown, const OpRegistry& ops);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_GRAPH_DEF_FUNCTION_CALLS_H_
