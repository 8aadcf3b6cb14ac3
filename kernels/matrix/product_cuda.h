// Products of matrices on GPUs: by cuBLASLt where they are large enough and it is there, else by a function of ours.
#ifndef DFRUN_KERNELS_MATRIX_PRODUCT_CUDA_H_
#define DFRUN_KERNELS_MATRIX_PRODUCT_CUDA_H_

#include <memory>

#include "kernels/device/cuda/library_call/library_product.h"
#include "kernels/device/cuda/runtime/cuda_kernel.h"
#include "kernels/device/shape_cache.h"
#include "kernels/gemm/gemm.h"
#include "kernels/math/elementwise/broadcast.h"
#include "kernels/matrix/product_epilogue_cuda.h"

namespace dfrun::cuda {

// The matrix product of one node.
// Thread safety: any thread.
template <class T>
class Product {
 public:
  Product() = default;
  // Uses the arithmetic that the node allows its kernel.
  explicit Product(const KernelSetup& setup) : arithmetic_(Arithmetic::Of(setup.attrs())) {}

  // C = op(A) op(B) for each pair of `batch`, whose offsets are in matrices, then `end` for each row of C, which only
  // floating point may have. m, k, n may be 0.
  Status Run(OpContext& ctx, const GemmShape& shape, const BroadcastPlan& batch, const T* a, const T* b, T* c,
             const ProductEpilogue<T>& end = {});

 private:
  Status RunByLibrary(OpContext& ctx, const ProductShape& shape, const LibraryProduct::Data& data);

  const Arithmetic arithmetic_;
  ShapeCache<ProductShape, LibraryProduct> library_;
};

// The operand as elements T: itself, or bytes as them in new memory, Unimplemented for others. Of complex numbers its
// conjugate where its adjoint is wanted: transposing is the product's.
template <class T>
Result<Tensor> ProductOperand(OpContext& ctx, const Tensor& operand, bool adjoint);

// One pair.
inline BroadcastPlan OnePair() {
  BroadcastPlan plan;
  plan.operands = 2;
  return plan;
}
// Each matrix with the one that is as far on.
inline BroadcastPlan PairsInOrder(int64_t count) {
  BroadcastPlan plan = OnePair();
  plan.rank = 1;
  plan.count = count;
  plan.dims[0] = count;
  for (int k = 0; k < 2; ++k) plan.strides[k][0] = 1;
  return plan;
}

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_MATRIX_PRODUCT_CUDA_H_
