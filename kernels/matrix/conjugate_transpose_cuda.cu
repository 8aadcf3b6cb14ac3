#include "kernels/array/copy/movement_cuda.h"
#include "kernels/array/move/transpose.h"
#include "kernels/math/elementwise/unary_cuda.h"
#include "kernels/math/functions/complex_cuda.h"
#include "kernels/math/functions/functors.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// The conjugates are taken where the permuted elements lie.
class ConjugateTransposeKernel : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"perm"};
  explicit ConjugateTransposeKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    Tensor* y = nullptr;
    DF_TRY(Permute<cuda::Movement>(ctx, &y));
    Status status;
    VisitDType<DF_COMPLEX>(y->dtype(), [&](auto tag) {
      using T = cuda::GpuType<typename decltype(tag)::type>;
      status = cuda::LaunchUnary<fn::Conj, T>(ctx, y->raw(), y->raw(), y->num_elements());
    });
    return status;
  }
};

CUDA_KERNEL("ConjugateTranspose", cuda::ByBytes<ConjugateTransposeKernel>, DF_PLAIN);

}  // namespace
}  // namespace dfrun
