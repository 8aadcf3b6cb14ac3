#include "kernels/device/cpu_kernel.h"
#include "kernels/nn/cells_cpu.h"
#include "kernels/nn/gru_kernel.h"

namespace dfrun {
namespace {

CPU_KERNEL_ANY("GRUBlockCell", gru::CellKernel<CpuCells>);
CPU_KERNEL_ANY("GRUBlockCellGrad", gru::CellGradKernel<CpuCells>);

}  // namespace
}  // namespace dfrun
