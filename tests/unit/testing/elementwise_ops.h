// The registered ops that have an element-wise loop, sorted by name.
#ifndef DFRUN_TESTS_UNIT_TESTING_ELEMENTWISE_OPS_H_
#define DFRUN_TESTS_UNIT_TESTING_ELEMENTWISE_OPS_H_

#include <vector>

#include "src/framework/op/op.h"

namespace dfrun::testing {

inline std::vector<const OpDef*> ElementwiseOps() {
  std::vector<const OpDef*> ops;
  for (const OpDef* op : OpRegistry::Builtin().List()) {
    if (op->traits.elementwise) ops.push_back(op);
  }
  return ops;
}

}  // namespace dfrun::testing

#endif  // DFRUN_TESTS_UNIT_TESTING_ELEMENTWISE_OPS_H_
