// A gather along a dimension as loops, on any device.
#ifndef DFRUN_KERNELS_ARRAY_INDEX_GATHER_LOOPS_H_
#define DFRUN_KERNELS_ARRAY_INDEX_GATHER_LOOPS_H_

#include <cstdint>
#include <vector>

#include "src/base/status.h"
#include "src/framework/kernel/kernel.h"
#include "src/framework/values/shape.h"

namespace dfrun {

// The loops of a gather: for every batch, slice before the axis and index, `row` elements.
struct GatherLoops {
  int64_t batches = 1;
  int64_t before = 1;   // between the batch dimensions and the axis
  int64_t size = 1;     // size of the axis
  int64_t indices = 1;  // a batch
  int64_t row = 1;      // after the axis

  // `result` receives the shape of the gathered slices. InvalidArgument where the batches differ.
  static Result<GatherLoops> Of(const Shape& params, const Shape& indices, int64_t axis, int64_t batch_dims,
                                Shape& result);
};

// The axis and the batch dimensions of a GatherV2 with this attr; InvalidArgument where they do not fit.
struct GatherAxis {
  int64_t axis;
  int64_t batch_dims;
};
Result<GatherAxis> ReadGatherAxis(const OpContext& ctx, int64_t batch_dims);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_INDEX_GATHER_LOOPS_H_
