#include "kernels/nn/rnn/cells_cuda.h"
#include "kernels/nn/rnn/gru_kernel.h"

namespace dfrun {
namespace {

CUDA_KERNEL_ANY("GRUBlockCell", gru::CellKernel<cuda::Cells>);
CUDA_KERNEL_ANY("GRUBlockCellGrad", gru::CellGradKernel<cuda::Cells>);

}  // namespace
}  // namespace dfrun
