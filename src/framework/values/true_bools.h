// Bools that come from files.
#ifndef DFRUN_SRC_FRAMEWORK_VALUES_TRUE_BOOLS_H_
#define DFRUN_SRC_FRAMEWORK_VALUES_TRUE_BOOLS_H_

#include <algorithm>
#include <cstdint>

#include "src/framework/values/tensor.h"

namespace dfrun {

// Makes each byte of a tensor of bools 0 or 1, and leaves other tensors as they are: a file may hold any byte, a true
// bool has one representation.
inline void MakeTrueBools(Tensor& value) {
  if (value.dtype() != DType::kBool) return;
  auto* const bytes = static_cast<uint8_t*>(value.raw());
  std::transform(bytes, bytes + value.num_bytes(), bytes, [](uint8_t byte) { return byte != 0 ? 1 : 0; });
}

}  // namespace dfrun

#endif  // DFRUN_SRC_FRAMEWORK_VALUES_TRUE_BOOLS_H_
