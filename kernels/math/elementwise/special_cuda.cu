// Functions that no processor has an instruction for.
#include "kernels/math/elementwise/binary_cuda.h"
#include "kernels/math/elementwise/unary_cuda.h"
#include "kernels/math/functions/betainc.h"
#include "kernels/math/functions/bitwise_functors.h"
#include "kernels/math/functions/functors.h"
#include "kernels/math/functions/incomplete_beta.h"
#include "kernels/math/functions/special_functions.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

struct BetaSteps {
  int a, b, x;  // 0 where the operand is a scalar
};

template <class T>
DF_DEVICE_KERNEL void IncompleteBetas(const T* a, const T* b, const T* x, T* z, int64_t n, BetaSteps steps) {
  const int64_t i = cuda::GlobalThreadId();
  if (i < n) z[i] = static_cast<T>(IncompleteBeta(a[i * steps.a], b[i * steps.b], x[i * steps.x]));
}

struct Betainc {
  template <class T>
  class Kernel : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup&) {}
    Status Compute(OpContext& ctx) {
      DF_ASSIGN(const Shape shape, ShapeOfBetainc(ctx));
      Tensor* z = nullptr;
      DF_TRY(ctx.AllocateOutput(0, shape, &z));
      const auto step = [&](int i) { return ctx.input(i).shape().rank() == 0 ? 0 : 1; };
      return cuda::Launch(ctx, shape.num_elements(), &IncompleteBetas<T>, ctx.input(0).data<T>(),
                          ctx.input(1).data<T>(), ctx.input(2).data<T>(), z->data<T>(), shape.num_elements(),
                          BetaSteps{step(0), step(1), step(2)});
    }
  };
};

CUDA_KERNEL("Lgamma", cuda::Unary<fn::Lgamma>, float16, float, double);
CUDA_KERNEL("Digamma", cuda::Unary<fn::Digamma>, float16, float, double);
CUDA_KERNEL("Polygamma", cuda::Binary<fn::Polygamma>, float, double);
CUDA_KERNEL("Zeta", cuda::Binary<fn::Zeta>, float, double);
CUDA_KERNEL("NextAfter", cuda::Binary<fn::NextAfter>, float, double);
CUDA_KERNEL("PopulationCount", cuda::Unary<fn::PopulationCount>, DF_INTEGERS);
CUDA_KERNEL("Betainc", Betainc, float, double);

}  // namespace
}  // namespace dfrun
