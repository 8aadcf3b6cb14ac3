// Checks a function that no expression calls: its syntax, and the names in it. Dtypes and shapes depend on a call, so
// they are not checked.
#ifndef DFRUN_SRC_SPEC_UNCALLED_FUNCTION_H_
#define DFRUN_SRC_SPEC_UNCALLED_FUNCTION_H_

#include "src/framework/op/op.h"
#include "src/spec/cluster_spec.h"
#include "src/spec/expr/params.h"
#include "src/spec/schema/function_def.h"

namespace dfrun {

// Reports syntax errors, unknown nodes, ops, functions and keywords, missing and surplus inputs, unknown devices and
// entries that depend on each other. Attrs have their defaults. An attr without one may stand for any text, so
// expressions that use it are not checked.
void CheckUncalled(const FunctionDef& def, const FunctionMap& functions, const OpRegistry& ops, const Params& params,
                   const ClusterSpec& cluster, Diagnostics& diagnostics);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_UNCALLED_FUNCTION_H_
