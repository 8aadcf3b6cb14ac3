// What the definitions of state ops share.
#ifndef DFRUN_KERNELS_STATE_STATE_OPS_H_
#define DFRUN_KERNELS_STATE_STATE_OPS_H_

#include <vector>

#include "src/framework/op.h"

namespace dfrun {

inline constexpr const char* kNumericT =
    "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, "
    "uint16, complex128, half, uint32, uint64}";

// The inputs (a variable, its slots, what is added to it) have one shape, which is the output's, if there is one;
// `scalars` are scalars.
inline ShapeFn SameShapes(std::vector<int> inputs, std::vector<int> scalars = {}) {
  return [inputs = std::move(inputs), scalars = std::move(scalars)](InferenceContext& c) -> Status {
    PartialShape shape;
    for (int i : inputs) {
      DF_ASSIGN(shape, shape.Merge(c.input(i)));
    }
    for (int i : scalars) DF_TRY(c.WithRank(i, 0).status());
    if (c.num_outputs() > 0) c.set_output(0, shape);
    return Status();
  };
}

// Nothing is known of the shape behind a handle; `scalars` are scalars.
inline ShapeFn OnlyScalars(std::vector<int> scalars) {
  return SameShapes({}, std::move(scalars));
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_STATE_STATE_OPS_H_
