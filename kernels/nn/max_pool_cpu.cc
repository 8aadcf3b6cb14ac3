#include "kernels/nn/pool_kernel.h"
#include "kernels/nn/pool_loops.h"

namespace dfrun {
namespace {

template <WindowInputs kWindows>
struct MaxPool {
  template <class T>
  using Kernel = ForwardPool<T, kWindows, &pooling::MaxImage<T>>;
};

#define DF_MAX_POOL_TYPES bfloat16, float16, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t
CPU_KERNEL("MaxPool", MaxPool<kWindowAttrs>, DF_MAX_POOL_TYPES);
CPU_KERNEL("MaxPoolV2", MaxPool<WindowInputs{1}>, DF_MAX_POOL_TYPES);
#undef DF_MAX_POOL_TYPES
CPU_KERNEL("MaxPool3D", MaxPool<kWindowAttrs>, bfloat16, float16, float);

}  // namespace
}  // namespace dfrun
