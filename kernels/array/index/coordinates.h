// Coordinates: tensors whose last dimension names slices of another tensor.
#ifndef DFRUN_KERNELS_ARRAY_INDEX_COORDINATES_H_
#define DFRUN_KERNELS_ARRAY_INDEX_COORDINATES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "src/framework/kernel/kernel.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

// The slices of a tensor that coordinates [..., depth] name, as far as the shapes say.
struct CoordinatePlan {
  int64_t count = 1;            // number of named slices
  int64_t row = 1;              // elements of a slice
  std::vector<int64_t> sizes;   // sizes of the dimensions that the coordinates are in
  std::vector<int64_t> prefix;  // the coordinates' dimensions but the last

  // InvalidArgument for more coordinates than there are dimensions, and for any of a tensor without elements.
  static Result<CoordinatePlan> Of(const Shape& coordinates, const Shape& shape);
  // The plan for ops that write: InvalidArgument for indices that hold no rows of coordinates, unless indices, updates
  // and the tensor all have no elements: such indices name nothing.
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
// Reads coordinates that have no plan yet.
Result<CoordinateSlices> ReadCoordinates(const Tensor& coordinates, const Shape& shape,
                                         BadIndices bad_indices = BadIndices::kError);

// InvalidArgument unless the updates have the shape of the slices that indices name.
Status CheckUpdatesOfSlices(const CoordinatePlan& plan, const Shape& indices, const Shape& updates, const Shape& shape);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_INDEX_COORDINATES_H_
