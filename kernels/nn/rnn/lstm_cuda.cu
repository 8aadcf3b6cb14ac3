// LSTM cells and their gradients on GPUs.
#include "kernels/nn/rnn/cells_cuda.h"
#include "kernels/nn/rnn/lstm_grad_kernel.h"
#include "kernels/nn/rnn/lstm_kernel.h"

namespace dfrun {
namespace {

using cuda::Cells;
using BlockGrad = lstm::BlockGrad<Cells, lstm::kCellFirst.cell>;
using BlockGradV2 = lstm::BlockGrad<Cells, lstm::kForgetFirst.cell>;

CUDA_KERNEL("LSTMBlockCell", lstm::Cell<Cells>, float16, float);
CUDA_KERNEL("BlockLSTM", lstm::Block<Cells>, float16, float);
CUDA_KERNEL("BlockLSTMV2", lstm::BlockV2<Cells>, float16, float);
CUDA_KERNEL("LSTMBlockCellGrad", lstm::CellGrad<Cells>, float16, float);
CUDA_KERNEL("BlockLSTMGrad", BlockGrad, float16, float);
CUDA_KERNEL("BlockLSTMGradV2", BlockGradV2, float16, float);

}  // namespace
}  // namespace dfrun
