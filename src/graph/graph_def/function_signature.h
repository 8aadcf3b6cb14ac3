// Turns the signature of a GraphDef function into that of an op.
#ifndef DFRUN_SRC_GRAPH_GRAPH_DEF_FUNCTION_SIGNATURE_H_
#define DFRUN_SRC_GRAPH_GRAPH_DEF_FUNCTION_SIGNATURE_H_

#include "src/framework/op/op.h"
#include "src/graph/proto/function.pb.h"

namespace dfrun {

// Returns name, arguments, and attrs with types and defaults, without shape function and gradient. InvalidArgument
// names the part that cannot be read.
Result<OpDef> SignatureOf(const proto::FunctionDef& function);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_GRAPH_DEF_FUNCTION_SIGNATURE_H_
