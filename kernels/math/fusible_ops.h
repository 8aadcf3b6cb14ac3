// The ops of which _FusedElementwise can make steps, and how many.
#ifndef DFRUN_KERNELS_MATH_FUSIBLE_OPS_H_
#define DFRUN_KERNELS_MATH_FUSIBLE_OPS_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "src/framework/op.h"

namespace dfrun {

// Of float operands of one shape, which is the result's.
struct FusibleOp {
  std::string_view name;
  int operands;       // 0: any number
  bool takes_scalar;  // one of the operands may have a single element
};

// The registered ops that have an element-wise loop, sorted by name.
inline std::vector<FusibleOp> FusibleOps() {
  std::vector<FusibleOp> ops;
  for (const OpDef* op : OpRegistry::Builtin().List()) {
    const Elementwise& each = op->traits.elementwise;
    if (each) ops.push_back({op->name, each.operands, each.takes_scalar});
  }
  return ops;
}

// Of one node: its steps, the operands of all of them, and the values with the inputs.
inline constexpr size_t kMostSteps = 64;
inline constexpr size_t kMostOperands = 192;
inline constexpr int kMostValues = 320;

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_FUSIBLE_OPS_H_
