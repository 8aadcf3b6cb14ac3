// Coordinates: tensors whose last dimension names slices of another tensor.
#ifndef DFRUN_KERNELS_ARRAY_COORDINATES_H_
#define DFRUN_KERNELS_ARRAY_COORDINATES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/framework/kernel.h"
#include "src/framework/tensor.h"

namespace dfrun {

// The slices of a tensor that coordinates [..., depth] name.
struct CoordinateSlices {
  static constexpr int64_t kNowhere = -1;  // coordinates outside of the tensor that are to be ignored
  int64_t row = 1;                         // elements of a slice
  std::vector<int64_t> slices;             // numbers of the named slices, in the order of the coordinates; kNowhere
  std::vector<int64_t> prefix;             // the coordinates' dimensions but the last
};

// Says how coordinates outside of the tensor are handled: as an error, or read as zeros and ignored in writes.
enum class BadIndices { kError, kIgnore };

// The attr bad_indices_policy: "" and "DEFAULT" are "ERROR" on CPUs. Refuses the kernel for other text.
BadIndices ReadBadIndices(KernelSetup& setup);

// InvalidArgument for coordinates outside of `shape` that are not to be ignored, and for any of a tensor without
// elements.
Result<CoordinateSlices> ReadCoordinates(const Tensor& coordinates, const Shape& shape,
                                         BadIndices bad_indices = BadIndices::kError);

// The same for those who write, which refuses coordinates of no number; but where indices, updates and the tensor all
// are without elements they name nothing.
Result<CoordinateSlices> ReadCoordinatesOfUpdates(const Tensor& coordinates, const Tensor& updates, const Shape& shape,
                                                  BadIndices bad_indices);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_COORDINATES_H_
