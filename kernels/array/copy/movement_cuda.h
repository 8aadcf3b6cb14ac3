// The engine of kernels that move elements, on GPUs. kernels/array/copy/movement_cpu.h says what an engine has.
#ifndef DFRUN_KERNELS_ARRAY_COPY_MOVEMENT_CUDA_H_
#define DFRUN_KERNELS_ARRAY_COPY_MOVEMENT_CUDA_H_

#include <vector>

#include "kernels/array/copy/axis_copy.h"
#include "kernels/array/copy/strided_copy.h"
#include "kernels/device/cuda/runtime/cuda_kernel.h"
#include "src/framework/values/element_types.h"

namespace dfrun::cuda {

struct Movement {
  static Status Copy(OpContext& ctx, DType dtype, const void* from, void* to, const std::vector<CopyDim>& dims);
  // `value`: in the GPU's memory.
  static Status Fill(OpContext& ctx, Tensor& to, const void* value);
  static Status Join(OpContext& ctx, const AxisParts& parts, Tensor& whole);
  static Status Cut(OpContext& ctx, const AxisParts& parts, const Tensor& whole);
};

// One class as the kernel of every dtype that it is registered for: all whose elements are plain bytes.
template <class K>
struct ByBytes {
  template <class>
  using Kernel = K;
};
#define DF_PLAIN DF_NUMBERS, DF_QUANTIZED, bool

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_ARRAY_COPY_MOVEMENT_CUDA_H_
