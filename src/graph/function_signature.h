// The signature of a GraphDef function as that of an op.
#ifndef DFRUN_SRC_GRAPH_FUNCTION_SIGNATURE_H_
#define DFRUN_SRC_GRAPH_FUNCTION_SIGNATURE_H_

#include "src/framework/op.h"
#include "src/graph/proto/function.pb.h"

namespace dfrun {

// Name, arguments, and attrs with types and defaults; neither shape function nor gradient. InvalidArgument names what
// cannot be read.
Result<OpDef> SignatureOf(const proto::FunctionDef& function);

}  // namespace dfrun

#endif  // DFRUN_SRC_GRAPH_FUNCTION_SIGNATURE_H_
