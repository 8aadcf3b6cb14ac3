#include "kernels/device/cpu_kernel.h"
#include "kernels/nn/rnn/cells_cpu.h"
#include "kernels/nn/rnn/lstm_kernel.h"

namespace dfrun {
namespace {

CPU_KERNEL("LSTMBlockCell", lstm::Cell<CpuCells>, float16, float);
CPU_KERNEL("BlockLSTM", lstm::Block<CpuCells>, float16, float);
CPU_KERNEL("BlockLSTMV2", lstm::BlockV2<CpuCells>, float16, float);

}  // namespace
}  // namespace dfrun
