// Products of a sparse matrix and a dense one, on any device. Inputs: the positions of the sparse matrix' values, the
// values, its shape, the dense matrix.
#ifndef DFRUN_KERNELS_MATRIX_SPARSE_TENSOR_MATMUL_H_
#define DFRUN_KERNELS_MATRIX_SPARSE_TENSOR_MATMUL_H_

#include <string_view>

#include "src/framework/kernel/kernel.h"

namespace dfrun {

// The sizes of the product.
struct SparseProduct {
  int64_t rows = 0;
  int64_t inner = 0;
  int64_t columns = 0;
  int64_t entries = 0;
};

class SparseMatMulBase : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"a_shape"};
  bool IsExpensive() const override { return true; }

 protected:
  explicit SparseMatMulBase(KernelSetup& setup)
      : adjoint_a_(setup.attr<bool>("adjoint_a")), adjoint_b_(setup.attr<bool>("adjoint_b")) {}

  // InvalidArgument where the inputs' shapes do not fit.
  Result<SparseProduct> Match(const OpContext& ctx) const;
  bool adjoint_a() const { return adjoint_a_; }
  bool adjoint_b() const { return adjoint_b_; }

 private:
  const bool adjoint_a_;
  const bool adjoint_b_;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_SPARSE_TENSOR_MATMUL_H_
