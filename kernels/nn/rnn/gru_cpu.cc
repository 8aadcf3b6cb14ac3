#include "kernels/device/cpu_kernel.h"
#include "kernels/nn/rnn/cells_cpu.h"
#include "kernels/nn/rnn/gru_kernel.h"

namespace dfrun {
namespace {

CPU_KERNEL_ANY("GRUBlockCell", gru::CellKernel<CpuCells>);
CPU_KERNEL_ANY("GRUBlockCellGrad", gru::CellGradKernel<CpuCells>);

}  // namespace
}  // namespace dfrun
