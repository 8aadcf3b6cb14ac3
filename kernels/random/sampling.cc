#include "kernels/random/sampling.h"

#include <algorithm>
#include <vector>

#include "kernels/array/int_values.h"

namespace dfrun {

Result<Shape> ShapeOfSamples(const Tensor& spelled, const Shape& parameters, bool appended) {
  DF_ASSIGN(Shape shape, ShapeValue(spelled, "the shape"));
  const auto suffix = parameters.dims();
  if (appended) {
    std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end());
    dims.insert(dims.end(), suffix.begin(), suffix.end());
    return Shape::Create(dims);
  }
  const bool fits =
      shape.rank() >= parameters.rank() && std::equal(suffix.rbegin(), suffix.rend(), shape.dims().rbegin());
  if (!fits && shape.num_elements() != 0) {
    return InvalidArgument("the shape ", shape, " of the samples must end with that of the parameters, ", parameters);
  }
  return shape;
}

}  // namespace dfrun
