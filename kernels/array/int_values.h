// Integer tensors read as lists of int64: axes, sizes, permutations, offsets.
#ifndef DFRUN_KERNELS_ARRAY_INT_VALUES_H_
#define DFRUN_KERNELS_ARRAY_INT_VALUES_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "src/base/status.h"
#include "src/framework/op/inference.h"
#include "src/framework/values/shape.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

// The elements of a tensor of any integer dtype (programmer's duty), in row-major order.
std::vector<int64_t> IntValues(const Tensor& tensor);

// The elements of an integer vector; InvalidArgument, with `what`, for another rank.
Result<std::vector<int64_t>> IntVector(const Tensor& tensor, std::string_view what);
// The value of an integer scalar; InvalidArgument, with `what`, for another rank.
Result<int64_t> IntScalar(const Tensor& tensor, std::string_view what);
// The value of an integer tensor of one element, whatever its rank; InvalidArgument, with `what`, for another count.
Result<int64_t> OnlyInt(const Tensor& tensor, std::string_view what);
// An integer vector as a shape; InvalidArgument for a bad one.
Result<Shape> ShapeValue(const Tensor& tensor, std::string_view what);

// One flag a dimension of a tensor of `rank`: true where an axis in [-rank, rank) names it. InvalidArgument for an axis
// out of range or named twice.
Result<std::vector<bool>> NamedAxes(const std::vector<int64_t>& axes, int rank);

// A shape with as many dimensions as vector input `input` has entries; of unknown rank where that is not known.
PartialShape UnknownOfLength(const InferenceContext& c, int input);

// The value of an input where it is known before the step, else nothing.
Result<std::optional<std::vector<int64_t>>> KnownIntVector(const InferenceContext& c, int input, std::string_view what);
Result<std::optional<int64_t>> KnownIntScalar(const InferenceContext& c, int input, std::string_view what);

// Writes `values` into an int32 or int64 tensor of as many elements; InvalidArgument for one beyond int32.
Status StoreInts(const std::vector<int64_t>& values, Tensor& tensor);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_ARRAY_INT_VALUES_H_
