// Gradients of values, dense or sparse, and the options of a differentiation.
#ifndef DFRUN_SRC_AUTODIFF_GRADIENT_VALUE_H_
#define DFRUN_SRC_AUTODIFF_GRADIENT_VALUE_H_

#include <string>
#include <vector>

#include "src/graph/graph.h"

namespace dfrun {

// The gradient with respect to one x.
struct GradientValue {
  bool exists = false;     // false: no y depends on x in a differentiable way; the gradient is zero
  bool is_sparse = false;  // selects one of the two forms below
  Output dense;            // x's dtype and shape
  Output indices;          // 1-D int32 or int64: rows of x, possibly repeated
  Output values;           // [number of indices, rest of x's shape]; the gradient is zero in all other rows

  static GradientValue Dense(Output dense) { return {true, false, dense, {}, {}}; }
  static GradientValue Sparse(Output indices, Output values) { return {true, true, {}, indices, values}; }
};

struct GradientOptions {
  std::string scope = "gradients";  // made unique; every new node's name begins with it
  // The gradients with respect to ys, one a y; invalid or left out: ones.
  std::vector<Output> grad_ys;
  // Asks for host memory for the values that loops save for their gradients (swap_memory of the pushes); the attr
  // _swap_memory of an Enter does so for one loop. It matters on devices that have memory of their own.
  bool swap_memory = false;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_AUTODIFF_GRADIENT_VALUE_H_
