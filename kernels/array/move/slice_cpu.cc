#include "kernels/array/move/slice.h"

#include "kernels/array/copy/movement_cpu.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

CPU_KERNEL_ANY("Slice", SliceKernel<cpu::Movement>);
CPU_KERNEL_ANY("StridedSlice", StridedSliceKernel<cpu::Movement>);
CPU_KERNEL_ANY("StridedSliceGrad", StridedSliceGradKernel<cpu::Movement>);

}  // namespace
}  // namespace dfrun
