#include "kernels/array/copy/movement_cpu.h"
#include "kernels/array/move/diag.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

CPU_KERNEL_ANY("Diag", DiagKernel<cpu::Movement>);
CPU_KERNEL_ANY("DiagPart", DiagPartKernel<cpu::Movement>);

}  // namespace
}  // namespace dfrun
