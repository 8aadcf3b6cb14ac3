#include "kernels/device/cpu_kernel.h"
#include "kernels/nn/pool/pool_kernel.h"
#include "kernels/nn/pool/pool_vectors.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

template <WindowInputs kWindows>
struct MaxPool {
  template <class T>
  using Kernel = ForwardPool<T, kWindows, &pooling::LargestOfImage<T>>;
};

CPU_KERNEL("MaxPool", MaxPool<kWindowAttrs>, DF_FLOATS, DF_SIGNED, uint8_t, uint16_t);
CPU_KERNEL("MaxPoolV2", MaxPool<WindowInputs{1}>, DF_FLOATS, DF_SIGNED, uint8_t, uint16_t);
CPU_KERNEL("MaxPool3D", MaxPool<kWindowAttrs>, bfloat16, float16, float);

}  // namespace
}  // namespace dfrun
