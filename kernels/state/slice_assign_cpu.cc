#include "kernels/array/copy/movement_cpu.h"
#include "kernels/device/cpu_kernel.h"
#include "kernels/state/slice_assign.h"

namespace dfrun {
namespace {

CPU_KERNEL_ANY("StridedSliceAssign", SliceAssignKernel<cpu::Movement>);
CPU_KERNEL_ANY("ResourceStridedSliceAssign", SliceAssignKernel<cpu::Movement>);

}  // namespace
}  // namespace dfrun
