// NaN and infinity in tensors.
#ifndef DFRUN_SRC_FRAMEWORK_VALUES_FINITE_H_
#define DFRUN_SRC_FRAMEWORK_VALUES_FINITE_H_

#include <cstdint>
#include <string>

#include "src/base/threads.h"
#include "src/framework/values/tensor.h"

namespace dfrun {

// Whether no element is NaN or infinite; true for a dtype that has neither, and for a tensor without a value. Goes over
// memory once, at its speed, and stops soon after the first find.
// Thread safety: any thread that may read the tensor.
bool AllFinite(const Tensor& value);
// Checks by the threads of a pool, where the tensor is large.
bool AllFinite(const Tensor& value, ThreadPool& pool);

// Whether some element is NaN.
bool HasNan(const Tensor& value);

// Describes a tensor that is not AllFinite(): "nan at [0,2], and at 3 more of its 12 elements"; a scalar: "nan".
std::string DescribeNotFinite(const Tensor& value);

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_VALUES_FINITE_H_
