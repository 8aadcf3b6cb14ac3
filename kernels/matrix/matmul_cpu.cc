#include <complex>

#include "kernels/device/cpu_kernel.h"
#include "kernels/device/shape_cache.h"
#include "kernels/gemm/parallel_gemm.h"
#include "kernels/math/elementwise/elementwise.h"
#include "kernels/matrix/fused_ops.h"
#include "src/framework/kernel/kernel_of.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// RunGemm() takes this T, without a plan.
template <class T>
constexpr bool kNeedsNoPlan =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>;
// The work from which on a product is expensive: about a microsecond on one core.
constexpr int64_t kExpensiveWork = 50'000;

template <class T>
class MatMulKernel final : public Kernel {
 public:
  explicit MatMulKernel(KernelSetup& setup)
      : transpose_a_(setup.attr<bool>("transpose_a")), transpose_b_(setup.attr<bool>("transpose_b")), fused_(setup) {
    fused_.RefuseGelu(setup);
    const PartialShape& a = setup.input_shape(0);
    const PartialShape& b = setup.input_shape(1);
    if (!a.IsFullyDefined() || !b.IsFullyDefined()) return;
    Result<GemmShape> shape = Match(a.dims(), b.dims());
    if (!shape.ok()) {
      setup.Fail(shape.status());
      return;
    }
    static_shape_ = *shape;
    if (!kNeedsNoPlan<T>) {
      const Status status = PlanFor(*shape).status();  // now, not in the first step
      if (!status.ok()) setup.Fail(status);
    } else if (fused_.is_none() && IsPreallocated(setup) && shape->work() <= kExpensiveWork) {
      set_fn(&RunPreallocated);
    }
  }

  Status Compute(OpContext& ctx) {
    const Tensor& a = ctx.input(0);
    const Tensor& b = ctx.input(1);
    DF_ASSIGN(const GemmShape shape, Match(a.shape().dims(), b.shape().dims()));
    Tensor* c = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape({shape.m, shape.n}), &c));
    if constexpr (kNeedsNoPlan<T>) {
      Epilogue<T> epilogue;
      DF_TRY(fused_.Read(ctx, shape.m, shape.n, &epilogue));
      return RunGemm(shape, a.data<T>(), b.data<T>(), c->data<T>(), ctx.pool(), ctx.allocator(), epilogue);
    } else {
      DF_ASSIGN(const std::shared_ptr<const Gemm<T>> gemm, PlanFor(shape));
      return gemm->Run(a.data<T>(), b.data<T>(), c->data<T>(), ctx.pool(), ctx.allocator());
    }
  }

  bool IsExpensive() const override { return static_shape_.m == 0 || static_shape_.work() > kExpensiveWork; }

 private:
  static Status RunPreallocated(Kernel* kernel, OpContext& ctx) {
    const GemmShape& s = static_cast<MatMulKernel*>(kernel)->static_shape_;
    if constexpr (kNeedsNoPlan<T>) {
      UnpackedGemm<T>(s.m, s.k, s.n, ViewA(s, ctx.input_data<T>(0)), ViewB(s, ctx.input_data<T>(1)),
                      {ctx.preallocated_output<T>(0), s.n, false});
    }
    return Status();
  }

  Result<std::shared_ptr<const Gemm<T>>> PlanFor(const GemmShape& shape) {
    return plans_.Get(shape, [&] { return Gemm<T>::Create(shape); });
  }

  // InvalidArgument where the operands do not fit.
  Result<GemmShape> Match(std::span<const int64_t> a, std::span<const int64_t> b) const {
    if (a.size() > 2 || b.size() > 2) {
      return InvalidArgument("MatMul multiplies matrices, but its inputs have ranks ", a.size(), " and ", b.size());
    }
    return MatchMatrices(a, b, transpose_a_, transpose_b_);
  }

  const bool transpose_a_;
  const bool transpose_b_;
  const FusedOps<T> fused_;
  GemmShape static_shape_;
  ShapeCache<GemmShape, Gemm<T>> plans_;
};

CPU_KERNEL("_FusedMatMul", KernelOf<MatMulKernel>, float, double);
CPU_KERNEL("MatMul", KernelOf<MatMulKernel>, DF_FLOATS, int32_t, int64_t, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
