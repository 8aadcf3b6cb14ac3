// The words of floating-point elements, as a check for finite values on a GPU reads them.
#ifndef DFRUN_KERNELS_STATE_FLOAT_WORDS_CUDA_H_
#define DFRUN_KERNELS_STATE_FLOAT_WORDS_CUDA_H_

#include <cstdint>

#include "src/framework/values/dtype.h"

namespace dfrun::cuda {

struct FloatWords {
  int bytes;
  uint64_t exponent;  // a word is not finite where all these bits are set; 0: the word is an int32
  int an_element;     // a complex number has two
};

// The words of a dtype that _FirstNotFinite and the gates of updates take.
inline FloatWords FloatWordsOf(DType dtype) {
  switch (dtype) {
    case DType::kHalf:
      return {2, 0x7c00, 1};
    case DType::kBfloat16:
      return {2, 0x7f80, 1};
    case DType::kFloat:
      return {4, 0x7f800000, 1};
    case DType::kComplex64:
      return {4, 0x7f800000, 2};
    case DType::kDouble:
      return {8, 0x7ff0000000000000, 1};
    case DType::kComplex128:
      return {8, 0x7ff0000000000000, 2};
    default:
      return {4, 0, 1};
  }
}

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_STATE_FLOAT_WORDS_CUDA_H_
