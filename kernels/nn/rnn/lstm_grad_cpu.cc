#include "kernels/device/cpu_kernel.h"
#include "kernels/nn/rnn/cells_cpu.h"
#include "kernels/nn/rnn/lstm_grad_kernel.h"

namespace dfrun {
namespace {

using BlockGrad = lstm::BlockGrad<CpuCells, lstm::kCellFirst.cell>;
using BlockGradV2 = lstm::BlockGrad<CpuCells, lstm::kForgetFirst.cell>;

CPU_KERNEL("LSTMBlockCellGrad", lstm::CellGrad<CpuCells>, float16, float);
CPU_KERNEL("BlockLSTMGrad", BlockGrad, float16, float);
CPU_KERNEL("BlockLSTMGradV2", BlockGradV2, float16, float);

}  // namespace
}  // namespace dfrun
