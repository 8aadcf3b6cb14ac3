// Tensors as text for people, in the forms that Print, Assert and StringFormat write.
#ifndef DFRUN_KERNELS_STRINGS_TENSOR_TEXT_H_
#define DFRUN_KERNELS_STRINGS_TENSOR_TEXT_H_

#include <string>

#include "src/framework/values/tensor.h"

namespace dfrun {

// The first `max_entries` elements (negative: all), rows in brackets, "..." where there are more: "1 2 3...".
std::string FirstElements(const Tensor& tensor, int64_t max_entries);

// The elements in numpy's notation, with the first and last `at_ends` (negative: all) of each dimension: "[1 2 ... 8
// 9]".
std::string ElementsAtEnds(const Tensor& tensor, int64_t at_ends);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_STRINGS_TENSOR_TEXT_H_
