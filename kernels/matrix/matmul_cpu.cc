#include <complex>

#include "kernels/device/cpu_kernel.h"
#include "kernels/device/shape_cache.h"
#include "kernels/math/elementwise.h"
#include "kernels/matrix/fused_ops.h"
#include "kernels/matrix/gemm_plan.h"
#include "src/framework/element_types.h"

namespace dfrun {
namespace {

// DirectGemm takes this T.
template <class T>
constexpr bool kHasDirect =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, int32_t> || std::is_same_v<T, int64_t>;
// About a microsecond on one core.
constexpr int64_t kExpensiveWork = 50'000;

// What follows MatMul: nothing.
template <class T>
struct NothingMore {
  static constexpr bool kFinishes = false;
  explicit NothingMore(KernelSetup&) {}
};

template <class T, template <class> class Finish>
class MatMulKernel final : public Kernel {
 public:
  explicit MatMulKernel(KernelSetup& setup)
      : transpose_a_(setup.attr<bool>("transpose_a")), transpose_b_(setup.attr<bool>("transpose_b")), finish_(setup) {
    const PartialShape& a = setup.input_shape(0);
    const PartialShape& b = setup.input_shape(1);
    if (!a.IsFullyDefined() || !b.IsFullyDefined()) return;
    Result<GemmShape> shape = Match(a.dims(), b.dims());
    if (!shape.ok()) {
      setup.Fail(shape.status());
      return;
    }
    static_shape_ = *shape;
    if (!Finish<T>::kFinishes && !IsDirect(*shape)) {
      const Status status = PlanFor(*shape).status();  // now, not in the first step
      if (!status.ok()) setup.Fail(status);
    } else if (!Finish<T>::kFinishes && IsPreallocated(setup) && shape->work() <= kExpensiveWork) {
      set_fn(&RunPreallocated);
    }
  }

  Status Compute(OpContext& ctx) {
    const Tensor& a = ctx.input(0);
    const Tensor& b = ctx.input(1);
    DF_ASSIGN(const GemmShape shape, Match(a.shape().dims(), b.shape().dims()));
    Tensor* c = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape({shape.m, shape.n}), &c));
    if constexpr (Finish<T>::kFinishes) return MultiplyAndFinish(shape, ctx, *c);
    if (IsDirect(shape)) {
      Direct(shape, a.data<T>(), b.data<T>(), c->data<T>(), ctx.pool());
      return Status();
    }
    DF_ASSIGN(const std::shared_ptr<const Gemm<T>> gemm, PlanFor(shape));
    return gemm->Run(a.data<T>(), b.data<T>(), c->data<T>(), ctx.pool(), ctx.allocator());
  }

  bool IsExpensive() const override { return static_shape_.m == 0 || static_shape_.work() > kExpensiveWork; }

 private:
  static bool IsDirect(const GemmShape& shape) { return kHasDirect<T> && PrefersDirectGemm(shape); }

  static void Direct(const GemmShape& s, const T* a, const T* b, T* c, ThreadPool& pool) {
    if constexpr (kHasDirect<T>) RunDirect(s, a, b, c, pool);
  }

  Status MultiplyAndFinish(const GemmShape& s, OpContext& ctx, Tensor& c) const {
    DF_ASSIGN(const GemmOutput<T> output, finish_.OutputOf(ctx, s.m, s.n));
    const T* const a = ctx.input(0).data<T>();
    const T* const b = ctx.input(1).data<T>();
    if (!IsDirect(s)) return RunTiles(s, a, b, c.data<T>(), ctx.pool(), ctx.allocator(), output);
    RunDirect(s, a, b, c.data<T>(), ctx.pool(), output);
    return Status();
  }

  static Status RunPreallocated(Kernel* kernel, OpContext& ctx) {
    const GemmShape& s = static_cast<MatMulKernel*>(kernel)->static_shape_;
    if constexpr (kHasDirect<T>) {
      DirectGemm<T>(s.m, s.k, s.n, ViewA(s, ctx.input_data<T>(0)), ViewB(s, ctx.input_data<T>(1)),
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
  const Finish<T> finish_;
  GemmShape static_shape_;
  ShapeCache<GemmShape, Gemm<T>> plans_;
};

template <template <class> class Finish>
struct MatMul {
  template <class T>
  using Kernel = MatMulKernel<T, Finish>;
};

CPU_KERNEL("_FusedMatMul", MatMul<FusedOps>, float, double);
CPU_KERNEL("MatMul", MatMul<NothingMore>, DF_FLOATS, int32_t, int64_t, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
