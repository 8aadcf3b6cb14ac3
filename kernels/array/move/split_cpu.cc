#include "kernels/array/move/split.h"

#include "kernels/array/copy/movement_cpu.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

CPU_KERNEL_ANY("Split", SplitKernel<cpu::Movement>);
CPU_KERNEL_ANY("SplitV", SplitVKernel<cpu::Movement>);
CPU_KERNEL_ANY("Unpack", UnpackKernel<cpu::Movement>);

}  // namespace
}  // namespace dfrun
