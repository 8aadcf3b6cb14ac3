#include <complex>

#include "kernels/array/copy/movement_cuda.h"
#include "kernels/math/reduce/sum_cuda.h"
#include "kernels/matrix/einsum_kernel.h"
#include "kernels/matrix/product_cuda.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

template <class T>
class Products {
 public:
  explicit Products(KernelSetup& setup) : product_(setup) {}

  static Status Sum(OpContext& ctx, const ReductionPlan& plan, const Tensor& from, Tensor& to) {
    return cuda::SumElements(ctx, plan, from, to);
  }
  Status Multiply(OpContext& ctx, const EinsumPlan& plan, const T* a, const T* b, T* c) {
    return product_.Run(ctx, plan.product, cuda::PairsInOrder(plan.batch), a, b, c);
  }

 private:
  cuda::Product<T> product_;
};

using GpuEinsum = Einsum<cuda::Movement, Products>;
CUDA_KERNEL("Einsum", GpuEinsum, DF_FLOATS, int32_t, int64_t, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
