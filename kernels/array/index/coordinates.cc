#include "kernels/array/index/coordinates.h"

#include <algorithm>
#include <span>
#include <utility>

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

Result<CoordinatePlan> CoordinatePlan::Of(const Shape& coordinates, const Shape& shape) {
  if (coordinates.rank() == 0) return InvalidArgument("the indices are a scalar, but need a dimension of coordinates");
  const int64_t depth = coordinates.dim(coordinates.rank() - 1);
  if (depth > shape.rank()) return InvalidArgument("indices of ", depth, " coordinates for a tensor of shape ", shape);
  CoordinatePlan plan;
  plan.prefix.assign(coordinates.dims().begin(), coordinates.dims().end() - 1);
  plan.sizes.assign(shape.dims().begin(), shape.dims().begin() + depth);
  // The other sizes of an empty tensor may have any product.
  const bool is_empty = std::find(shape.dims().begin(), shape.dims().end(), 0) != shape.dims().end();
  if (is_empty) plan.row = 0;
  for (int d = static_cast<int>(depth); d < shape.rank() && !is_empty; ++d) plan.row *= shape.dim(d);
  for (int64_t size : plan.prefix) plan.count *= size;
  if (!is_empty || plan.count == 0) return plan;
  return InvalidArgument("indices of shape ", coordinates, " name slices of a tensor of shape ", shape,
                         ", which has no elements");
}

Result<CoordinatePlan> CoordinatePlan::OfUpdates(const Shape& coordinates, const Shape& updates, const Shape& shape) {
  if (coordinates.rank() >= 2 && coordinates.dim(coordinates.rank() - 1) >= 1) return Of(coordinates, shape);
  if (coordinates.num_elements() > 0 || updates.num_elements() > 0 || shape.num_elements() > 0) {
    return InvalidArgument("the indices must hold rows of coordinates, but have shape ", coordinates);
  }
  CoordinatePlan none;
  none.prefix.assign(coordinates.dims().begin(), coordinates.dims().end() - 1);
  none.count = 0;
  none.row = 0;
  return none;
}

std::vector<int64_t> CoordinatePlan::SliceDims(const Shape& shape) const {
  std::vector<int64_t> dims = prefix;
  dims.insert(dims.end(), shape.dims().begin() + static_cast<int64_t>(sizes.size()), shape.dims().end());
  return dims;
}

Result<CoordinateSlices> ReadSlices(CoordinatePlan plan, const Tensor& coordinates, const Shape& shape,
                                    BadIndices bad_indices) {
  CoordinateSlices out{std::move(plan), {}};
  const std::vector<int64_t> values = IntValues(coordinates);
  const auto depth = static_cast<int64_t>(out.sizes.size());
  out.slices.reserve(static_cast<size_t>(out.count));
  for (int64_t i = 0; i < out.count; ++i) {
    int64_t slice = 0;
    for (int64_t d = 0; d < depth; ++d) {
      const int64_t at = values[i * depth + d];
      if (at < 0 || at >= out.sizes[d]) {
        if (bad_indices == BadIndices::kError) {
          return InvalidArgument("indices[", i, "] has the coordinate ", at, " in dimension ", d,
                                 ", which is outside of the shape ", shape);
        }
        slice = CoordinateSlices::kNowhere;
        break;
      }
      slice = slice * out.sizes[d] + at;
    }
    out.slices.push_back(slice);
  }
  return out;
}

Result<CoordinateSlices> ReadCoordinates(const Tensor& coordinates, const Shape& shape, BadIndices bad_indices) {
  DF_ASSIGN(CoordinatePlan plan, CoordinatePlan::Of(coordinates.shape(), shape));
  return ReadSlices(std::move(plan), coordinates, shape, bad_indices);
}

Status CheckUpdatesOfSlices(const CoordinatePlan& plan, const Shape& indices, const Shape& updates,
                            const Shape& shape) {
  const std::vector<int64_t> dims = plan.SliceDims(shape);
  const std::span<const int64_t> given = updates.dims();
  if (std::equal(dims.begin(), dims.end(), given.begin(), given.end())) return Status();
  return InvalidArgument("updates of shape ", updates, " do not fit indices ", indices, " into ", shape,
                         ": they must have shape ", PartialShape(dims));
}

}  // namespace dfrun
