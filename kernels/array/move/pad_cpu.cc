#include "kernels/array/move/pad.h"

#include "kernels/array/copy/movement_cpu.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

CPU_KERNEL_ANY("Pad", PadKernel<cpu::Movement>);
CPU_KERNEL_ANY("PadV2", PadKernel<cpu::Movement>);

}  // namespace
}  // namespace dfrun
