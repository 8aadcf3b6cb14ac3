#include "kernels/array/int_values.h"

#include <limits>

#include "src/framework/values/element_types.h"

namespace dfrun {

std::vector<int64_t> IntValues(const Tensor& tensor) {
  std::vector<int64_t> values;
  VisitDType<DF_INTEGERS>(tensor.dtype(), [&](auto tag) {
    for (auto v : tensor.values<typename decltype(tag)::type>()) values.push_back(static_cast<int64_t>(v));
  });
  return values;
}

Result<std::vector<int64_t>> IntVector(const Tensor& tensor, std::string_view what) {
  if (tensor.shape().rank() != 1) return InvalidArgument(what, " has shape ", tensor.shape(), ", but must be a vector");
  return IntValues(tensor);
}

Result<int64_t> IntScalar(const Tensor& tensor, std::string_view what) {
  if (tensor.shape().rank() != 0) return InvalidArgument(what, " has shape ", tensor.shape(), ", but must be a scalar");
  return IntValues(tensor)[0];
}

Result<int64_t> OnlyInt(const Tensor& tensor, std::string_view what) {
  if (tensor.num_elements() != 1)
    return InvalidArgument(what, " has shape ", tensor.shape(), ", but must be a single value");
  return IntValues(tensor)[0];
}

Result<Shape> ShapeValue(const Tensor& tensor, std::string_view what) {
  DF_ASSIGN(const std::vector<int64_t> dims, IntVector(tensor, what));
  Result<Shape> shape = Shape::Create(dims);
  if (!shape.ok()) return shape.status().Annotate(what);
  return shape;
}

Result<std::vector<bool>> NamedAxes(const std::vector<int64_t>& axes, int rank) {
  std::vector<bool> named(static_cast<size_t>(rank));
  for (int64_t a : axes) {
    DF_ASSIGN(const int64_t axis, CanonicalAxis(a, rank));
    if (named[axis]) return InvalidArgument("axis ", axis, " is named twice in ", PartialShape(axes));
    named[axis] = true;
  }
  return named;
}

PartialShape UnknownOfLength(const InferenceContext& c, int input) {
  const PartialShape& shape = c.input(input);
  const bool known = shape.rank() == 1 && shape.dim(0) >= 0 && shape.dim(0) <= Shape::kMaxRank;
  return known ? PartialShape::UnknownOfRank(static_cast<int>(shape.dim(0))) : PartialShape();
}

Result<std::optional<std::vector<int64_t>>> KnownIntVector(const InferenceContext& c, int input,
                                                           std::string_view what) {
  const PartialShape& shape = c.input(input);
  if (shape.known_rank() && shape.rank() != 1)
    return InvalidArgument(what, " has shape ", shape, ", but must be a vector");
  const Tensor* value = c.input_value(input);
  if (value == nullptr) return std::optional<std::vector<int64_t>>();
  return std::optional(IntValues(*value));
}

Result<std::optional<int64_t>> KnownIntScalar(const InferenceContext& c, int input, std::string_view what) {
  const Tensor* value = c.input_value(input);
  if (value == nullptr) return std::optional<int64_t>();
  DF_ASSIGN(const int64_t known, OnlyInt(*value, what));
  return std::optional(known);
}

Status StoreInts(const std::vector<int64_t>& values, Tensor& tensor) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (tensor.dtype() == DType::kInt64) {
      tensor.data<int64_t>()[i] = values[i];
    } else if (values[i] > std::numeric_limits<int32_t>::max() || values[i] < std::numeric_limits<int32_t>::min()) {
      return InvalidArgument("the value ", values[i], " does not fit in int32: ask for int64");
    } else {
      tensor.data<int32_t>()[i] = static_cast<int32_t>(values[i]);
    }
  }
  return Status();
}

}  // namespace dfrun
