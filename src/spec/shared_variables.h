// The variables of a model's two forms, that of training and that of evaluation, which are the same.
#ifndef DFRUN_SRC_SPEC_SHARED_VARIABLES_H_
#define DFRUN_SRC_SPEC_SHARED_VARIABLES_H_

#include "src/spec/lowering.h"

namespace dfrun {

// A form of a model while it is built.
struct BuiltForm {
  Lowering& lowering;
  Graph& graph;
};

// Adds to each form the variables that only the other one has, with the nodes that give them their first values: those
// of a function that one mode alone calls are initialised, saved and restored with all others. Reports a variable that
// the forms describe differently.
void ShareVariables(const BuiltForm& training, const BuiltForm& evaluation, Diagnostics& diagnostics);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_SHARED_VARIABLES_H_
