#include "kernels/array/coordinates.h"

#include <algorithm>

#include "kernels/array/int_values.h"

namespace dfrun {

BadIndices ReadBadIndices(KernelSetup& setup) {
  const auto policy = setup.attr<std::string>("bad_indices_policy");
  if (policy == "IGNORE") return BadIndices::kIgnore;
  if (!policy.empty() && policy != "DEFAULT" && policy != "ERROR") {
    setup.Fail(InvalidArgument("bad_indices_policy '", policy, "' is none of '', 'DEFAULT', 'ERROR' and 'IGNORE'"));
  }
  return BadIndices::kError;
}

Result<CoordinateSlices> ReadCoordinates(const Tensor& coordinates, const Shape& shape, BadIndices bad_indices) {
  const Shape& given = coordinates.shape();
  if (given.rank() == 0) return InvalidArgument("the indices are a scalar, but need a dimension of coordinates");
  const int64_t depth = given.dim(given.rank() - 1);
  if (depth > shape.rank()) return InvalidArgument("indices of ", depth, " coordinates for a tensor of shape ", shape);
  CoordinateSlices out;
  out.prefix.assign(given.dims().begin(), given.dims().end() - 1);
  // Of an empty tensor the other sizes may be of any product.
  const bool is_empty = std::find(shape.dims().begin(), shape.dims().end(), 0) != shape.dims().end();
  if (is_empty) out.row = 0;
  for (int d = static_cast<int>(depth); d < shape.rank() && !is_empty; ++d) out.row *= shape.dim(d);
  int64_t count = 1;
  for (int64_t size : out.prefix) count *= size;
  if (is_empty && count > 0) {
    return InvalidArgument("indices of shape ", given, " name slices of a tensor of shape ", shape,
                           ", which has no elements");
  }
  const std::vector<int64_t> values = IntValues(coordinates);
  const int64_t* const sizes = shape.dims().data();
  out.slices.reserve(static_cast<size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    int64_t slice = 0;
    for (int64_t d = 0; d < depth; ++d) {
      const int64_t at = values[i * depth + d];
      if (at < 0 || at >= sizes[d]) {
        if (bad_indices == BadIndices::kError) {
          return InvalidArgument("indices[", i, "] has the coordinate ", at, " in dimension ", d,
                                 ", which is outside of the shape ", shape);
        }
        slice = CoordinateSlices::kNowhere;
        break;
      }
      slice = slice * sizes[d] + at;
    }
    out.slices.push_back(slice);
  }
  return out;
}

Result<CoordinateSlices> ReadCoordinatesOfUpdates(const Tensor& coordinates, const Tensor& updates, const Shape& shape,
                                                  BadIndices bad_indices) {
  const Shape& given = coordinates.shape();
  if (given.rank() >= 2 && given.dim(given.rank() - 1) >= 1) return ReadCoordinates(coordinates, shape, bad_indices);
  if (given.num_elements() > 0 || updates.num_elements() > 0 || shape.num_elements() > 0) {
    return InvalidArgument("the indices must hold rows of coordinates, but have shape ", given);
  }
  CoordinateSlices none;
  none.prefix.assign(given.dims().begin(), given.dims().end() - 1);
  none.row = 0;
  return none;
}

}  // namespace dfrun
