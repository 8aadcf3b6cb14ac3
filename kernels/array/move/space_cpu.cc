#include "kernels/array/copy/movement_cpu.h"
#include "kernels/array/move/space.h"
#include "kernels/device/cpu_kernel.h"

namespace dfrun {
namespace {

CPU_KERNEL_ANY("SpaceToDepth", SpaceToDepthKernel<cpu::Movement>);
CPU_KERNEL_ANY("DepthToSpace", DepthToSpaceKernel<cpu::Movement>);
CPU_KERNEL_ANY("SpaceToBatchND", SpaceToBatchKernel<cpu::Movement>);
CPU_KERNEL_ANY("SpaceToBatch", SpaceToBatchKernel<cpu::Movement>);
CPU_KERNEL_ANY("BatchToSpaceND", BatchToSpaceKernel<cpu::Movement>);
CPU_KERNEL_ANY("BatchToSpace", BatchToSpaceKernel<cpu::Movement>);

}  // namespace
}  // namespace dfrun
