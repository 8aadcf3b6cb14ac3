// What can be said of a function that no expression calls: whether it reads as it should, and whether the names in it
// are there. Dtypes and shapes are those of a call, so they are left alone.
#ifndef DFRUN_SRC_SPEC_UNCALLED_FUNCTION_H_
#define DFRUN_SRC_SPEC_UNCALLED_FUNCTION_H_

#include "src/framework/op.h"
#include "src/spec/cluster_spec.h"
#include "src/spec/function_def.h"
#include "src/spec/params.h"

namespace dfrun {

// Reports syntax errors, unknown nodes, ops, functions and keywords, missing and surplus inputs, unknown devices and
// entries that depend on each other. Attrs have their defaults. An attr without one may stand for any text: what it
// goes into is not looked at.
void CheckUncalled(const FunctionDef& def, const FunctionMap& functions, const OpRegistry& ops, const Params& params,
                   const ClusterSpec& cluster, Diagnostics& diagnostics);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_UNCALLED_FUNCTION_H_
