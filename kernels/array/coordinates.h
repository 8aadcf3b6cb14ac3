// Coordinates: tensors whose last dimension names slices of another tensor.
#ifndef DFRUN_KERNELS_ARRAY_COORDINATES_H_
#define DFRUN_KERNELS_ARRAY_COORDINATES_H_

#include <cstdint>
#include <vector>

#include "src/framework/tensor.h"

namespace dfrun {

// The slices of a tensor that coordinates [..., depth] name.
struct CoordinateSlices {
  int64_t row = 1;              // elements of a slice
  std::vector<int64_t> slices;  // numbers of the named slices, in the order of the coordinates
  std::vector<int64_t> prefix;  // the coordinates' dimensions but the last
};

// InvalidArgument for coordinates outside of `shape`.
Result<CoordinateSlices> ReadCoordinates(const Tensor& coordinates, const Shape& shape);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_COORDINATES_H_
