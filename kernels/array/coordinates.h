// Coordinates: tensors whose last dimension names slices of another tensor.
#ifndef DFRUN_KERNELS_ARRAY_COORDINATES_H_
#define DFRUN_KERNELS_ARRAY_COORDINATES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/framework/kernel.h"
#include "src/framework/tensor.h"

namespace dfrun {

// How coordinates [..., depth] name slices of a tensor: what the shapes say.
struct CoordinatePlan {
  int64_t count = 1;            // of the slices that are named
  int64_t row = 1;              // elements of a slice
  std::vector<int64_t> sizes;   // of the dimensions that the coordinates are in
  std::vector<int64_t> prefix;  // the coordinates' dimensions but the last

  // InvalidArgument for more coordinates than there are dimensions, and for any of a tensor without elements.
  static Result<CoordinatePlan> Of(const Shape& coordinates, const Shape& shape);
  // The same for those who write, which refuses coordinates of no number; but where indices, updates and the tensor all
  // are without elements they name nothing.
  static Result<CoordinatePlan> OfUpdates(const Shape& coordinates, const Shape& updates, const Shape& shape);

  // The sizes of all named slices of a tensor of `shape` as one tensor.
  std::vector<int64_t> SliceDims(const Shape& shape) const;
};

// The slices themselves.
struct CoordinateSlices : CoordinatePlan {
  static constexpr int64_t kNowhere = -1;  // coordinates outside of the tensor that are to be ignored
  std::vector<int64_t> slices;             // numbers of the named slices, in the order of the coordinates; kNowhere
};

// Says how coordinates outside of the tensor are handled: as an error, or read as zeros and ignored in writes.
enum class BadIndices { kError, kIgnore };

// The attr bad_indices_policy: "" and "DEFAULT" are "ERROR" on CPUs. Refuses the kernel for other text.
BadIndices ReadBadIndices(KernelSetup& setup);

// InvalidArgument for coordinates outside of `shape` that are not to be ignored.
Result<CoordinateSlices> ReadSlices(CoordinatePlan plan, const Tensor& coordinates, const Shape& shape,
                                    BadIndices bad_indices);
// Of coordinates that have no plan yet.
Result<CoordinateSlices> ReadCoordinates(const Tensor& coordinates, const Shape& shape,
                                         BadIndices bad_indices = BadIndices::kError);

// InvalidArgument unless the updates have the shape of the slices that indices name.
Status CheckUpdatesOfSlices(const CoordinatePlan& plan, const Shape& indices, const Shape& updates, const Shape& shape);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_COORDINATES_H_
