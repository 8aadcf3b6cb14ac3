// Decompositions on GPUs are computed in double, and of complex numbers in complex128: matrices come in and go out
// through copies of those types.
#ifndef DFRUN_KERNELS_LINALG_WIDE_CUDA_H_
#define DFRUN_KERNELS_LINALG_WIDE_CUDA_H_

#include "kernels/linalg/matrix_batch.h"

namespace dfrun::cuda {

// A copy of the matrices in new memory, or with `adjoint` of their adjoints.
Result<Tensor> WideMatrices(OpContext& ctx, const Tensor& tensor, const MatrixBatch& matrices, bool adjoint = false);

// An output that is computed in new memory, or in a copy of an input.
class WideResult {
 public:
  Status Allocate(OpContext& ctx, int i, const Shape& shape);
  Status Adopt(OpContext& ctx, int i, const Shape& shape, Tensor wide);
  void* raw() { return wide_.raw(); }
  // Rounds it, once all that writes it is enqueued.
  Status Round(OpContext& ctx);

 private:
  Tensor* output_ = nullptr;
  Tensor wide_;
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_LINALG_WIDE_CUDA_H_
