#include "kernels/array/copy/movement_cuda.h"
#include "kernels/array/index/scatter_cuda.h"
#include "kernels/array/index/sparse_to_dense.h"

namespace dfrun {
namespace {

DF_DEVICE_KERNEL void CheckIncreasing(const uint64_t* elements, int64_t n, int32_t* error_flag) {
  const int64_t i = cuda::GlobalThreadId();
  if (i > 0 && i < n && elements[i] <= elements[i - 1]) *error_flag = 1;
}

class SparseToDenseKernel : public SparseToDenseBase {
 public:
  explicit SparseToDenseKernel(KernelSetup& setup)
      : SparseToDenseBase(setup), error_flag_(setup, "sparse_indices are out of range, out of order or repeated") {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const Shape shape, ReadShape(ctx));
    const Tensor& indices = ctx.input(0);
    const Tensor& values = ctx.input(2);
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, shape, &y));
    DF_TRY(cuda::Movement::Fill(ctx, *y, ctx.input(3).raw()));
    CoordinatePlan plan;
    plan.count = CountOf(indices.shape());
    plan.sizes.assign(shape.dims().begin(), shape.dims().end());
    DF_ASSIGN(Tensor elements, cuda::SlicesOfCoordinates(ctx, indices, plan, BadIndices::kError, error_flag_.word()));
    if (validate_) {
      DF_TRY(
          cuda::Launch(ctx, plan.count, &CheckIncreasing, elements.data<uint64_t>(), plan.count, error_flag_.word()));
    }
    DF_ASSIGN(const cuda::UpdateGroups groups,
              cuda::UpdateGroups::BySlice(ctx, std::move(elements), shape.num_elements()));
    return cuda::ReplaceLaunch(y->dtype())(ctx, groups, {values.raw(), 1, values.shape().rank() == 0}, y->raw(),
                                           error_flag_.word());
  }

 private:
  const cuda::DeviceErrorFlag error_flag_;
};

CUDA_KERNEL("SparseToDense", cuda::ByBytes<SparseToDenseKernel>, DF_PLAIN);

}  // namespace
}  // namespace dfrun
