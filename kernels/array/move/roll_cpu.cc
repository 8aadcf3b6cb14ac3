#include "kernels/array/copy/movement_cpu.h"
#include "kernels/array/move/roll.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

CPU_KERNEL_ANY("Roll", RollKernel<cpu::Movement>);

}  // namespace
}  // namespace dfrun
