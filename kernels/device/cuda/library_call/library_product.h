// Products of matrices by cuBLASLt.
#ifndef DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_CALL_LIBRARY_PRODUCT_H_
#define DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_CALL_LIBRARY_PRODUCT_H_

#include <cstdint>
#include <memory>

#include "kernels/device/cuda/library/cublas_lt.h"
#include "src/framework/kernel/op_context.h"
#include "src/framework/op/arithmetic.h"

namespace dfrun::cuda {

// C[i] = op(A[i]) op(B[i]) of row-major matrices, for each i of a batch; with a bias, of n elements, added to each row.
struct ProductShape {
  int64_t m = 0;
  int64_t k = 0;
  int64_t n = 0;
  bool transpose_a = false;  // A lies as [k, m]
  bool transpose_b = false;  // B lies as [n, k]
  int64_t batches = 1;
  bool repeats_a = false;  // one A for all of the batch
  bool repeats_b = false;
  // Elements from a row to the next, as each lies; 0: rows lie side by side.
  int64_t row_a = 0;
  int64_t row_b = 0;
  int64_t row_c = 0;
  bool has_bias = false;
  bool operator==(const ProductShape&) const = default;
};

// The library's plan for products of one shape and dtype. Results have the same bits in every run, since no plan that
// adds up in no fixed order is taken. float32 is multiplied in full, unless `arithmetic` allows less.
// Thread safety: any thread.
class LibraryProduct {
 public:
  // float16, bfloat16, float32 or float64; Unimplemented for others, NotFound where the library is absent.
  static Result<std::shared_ptr<const LibraryProduct>> Create(const ProductShape& shape, DType dtype,
                                                              const Arithmetic& arithmetic);
  ~LibraryProduct();
  LibraryProduct(const LibraryProduct&) = delete;
  LibraryProduct& operator=(const LibraryProduct&) = delete;

  struct Data {
    const void* a;
    const void* b;
    const void* bias;  // only a shape that has a bias uses it
    void* c;
  };
  // Enqueues a product of matrices that are for libraries by their addresses (library.h).
  Status Run(OpContext& ctx, const Data& data) const;
  // Enqueues the product on a stream of the GPU that was current when this was made. `workspace` is workspace_bytes()
  // of its memory that nothing else uses meanwhile.
  Status Enqueue(cudaStream_t stream, const Data& data, void* workspace) const;
  size_t workspace_bytes() const { return workspace_bytes_; }

 private:
  explicit LibraryProduct(const CublasLt& lt) : lt_(lt) {}
  Status Describe(const ProductShape& shape, DType dtype, const Arithmetic& arithmetic);
  Status Choose(const Arithmetic& arithmetic);
  bool UsesTensorCores(const cublasLtMatmulAlgo_t& algorithm) const;

  const CublasLt& lt_;
  cublasLtHandle_t handle_ = nullptr;
  bool is_double_ = false;
  bool has_bias_ = false;
  cublasLtMatmulDesc_t product_ = nullptr;
  // Layouts in the library's order: the product is transposed, so that its factors are exchanged.
  cublasLtMatrixLayout_t first_ = nullptr;
  cublasLtMatrixLayout_t second_ = nullptr;
  cublasLtMatrixLayout_t result_ = nullptr;
  cublasLtMatmulAlgo_t algorithm_{};
  size_t workspace_bytes_ = 0;
};

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_DEVICE_CUDA_LIBRARY_CALL_LIBRARY_PRODUCT_H_
