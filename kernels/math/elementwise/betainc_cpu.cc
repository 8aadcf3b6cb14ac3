#include <array>

#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/elementwise.h"
#include "kernels/math/functions/betainc.h"
#include "kernels/math/functions/incomplete_beta.h"

namespace dfrun {
namespace {

struct Betainc {
  template <class T>
  class Kernel : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup&) {}
    Status Compute(OpContext& ctx) {
      const std::array<const Tensor*, 3> operands = {&ctx.input(0), &ctx.input(1), &ctx.input(2)};
      DF_ASSIGN(const Shape shape, ShapeOfBetainc(ctx));
      Tensor* z = nullptr;
      DF_TRY(ctx.AllocateOutput(0, shape, &z));
      const auto at = [&](int k, int64_t i) {
        return static_cast<double>(operands[k]->data<T>()[operands[k]->shape().rank() == 0 ? 0 : i]);
      };
      ctx.pool().ParallelFor(shape.num_elements(), kBlock, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i)
          z->data<T>()[i] = static_cast<T>(IncompleteBeta(at(0, i), at(1, i), at(2, i)));
      });
      return Status();
    }

   private:
    static constexpr int64_t kBlock = 64;  // an element takes some 200 ns
  };
};

CPU_KERNEL("Betainc", Betainc, float, double);

}  // namespace
}  // namespace dfrun
