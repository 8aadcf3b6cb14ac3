// Parts of the definitions of state ops.
#ifndef DFRUN_KERNELS_STATE_STATE_OPS_H_
#define DFRUN_KERNELS_STATE_STATE_OPS_H_

#include <vector>

#include "src/framework/op/op.h"

namespace dfrun {

#define DF_NUMERIC_TYPES                                                                                   \
  "{float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, " \
  "quint16, uint16, complex128, half, uint32, uint64}"
inline constexpr const char* kNumericT = "T: " DF_NUMERIC_TYPES;
inline constexpr const char* kNumericDtype = "dtype: " DF_NUMERIC_TYPES;
#undef DF_NUMERIC_TYPES

// The inputs (a variable and the value added to it) have one shape, which is the output's.
inline ShapeFn SameShapes(std::vector<int> inputs) {
  return [inputs = std::move(inputs)](InferenceContext& c) -> Status {
    PartialShape shape;
    for (int i : inputs) {
      DF_ASSIGN(shape, shape.Merge(c.input(i)));
    }
    c.set_output(0, shape);
    return Status();
  };
}

// The cost of an op on a variable, which is input 0, and a value like it: so many operations an element. The variable
// is read where there are any.
inline CostFn AssignCost(double flops_an_element) {
  return [flops_an_element](const CostContext& c) {
    const double bytes = c.input_bytes(1);
    return OpCost{flops_an_element * c.input_elements(1), flops_an_element > 0 ? 2 * bytes : bytes, bytes};
  };
}

// The cost of an op on a variable, indices and updates: so many operations an element of the updates, on the rows that
// they change.
inline CostFn RowUpdateCost(double flops_an_element) {
  return [flops_an_element](const CostContext& c) {
    const double rows = c.input_bytes(2);
    const double read = c.bytes_in(1) + (flops_an_element > 0 ? rows : 0);
    return OpCost{flops_an_element * c.input_elements(2), read, rows};
  };
}

// The variable behind handle 0 and input 1 have one shape.
inline Status HandleTakesValue(InferenceContext& c) {
  return c.handle_shape(0).Merge(c.input(1)).status();
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_STATE_STATE_OPS_H_
