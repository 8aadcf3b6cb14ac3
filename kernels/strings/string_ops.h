// Parts of the definitions of string ops.
#ifndef DFRUN_KERNELS_STRINGS_STRING_OPS_H_
#define DFRUN_KERNELS_STRINGS_STRING_OPS_H_

#include "src/framework/op/op.h"

namespace dfrun {

// string -> string, element by element.
inline void MapsStrings(OpBuilder& op) {
  op.Input("input: string").Output("output: string").NotDifferentiable().Shape(SameAsInput(0));
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_STRINGS_STRING_OPS_H_
