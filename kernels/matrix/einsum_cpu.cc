#include <complex>
#include <cstring>

#include "kernels/device/cpu_kernel.h"
#include "kernels/device/shape_cache.h"
#include "kernels/math/reducers.h"
#include "kernels/math/reduction.h"
#include "kernels/matrix/batch_gemm.h"
#include "kernels/matrix/einsum_plan.h"
#include "src/framework/element_types.h"
#include "src/framework/kernel_of.h"

namespace dfrun {
namespace {

// Products of numbers that a thread takes at a time: some 10 us.
constexpr int64_t kBlock = 32768;

// What is the same for every dtype.
class EinsumBase : public Kernel {
 public:
  bool IsExpensive() const override { return true; }

 protected:
  EinsumBase(KernelSetup& setup, const cpu::ReductionLoops& sum) : sum_(sum) {
    Result<EinsumEquation> equation = EinsumEquation::Parse(setup.attr<std::string>("equation"));
    if (equation.ok()) {
      equation_ = *std::move(equation);
    } else {
      setup.Fail(equation.status());
    }
  }

  Result<std::shared_ptr<const EinsumPlan>> PlanFor(const OpContext& ctx) {
    std::vector<Shape> shapes;
    shapes.reserve(static_cast<size_t>(ctx.num_inputs()));
    for (int i = 0; i < ctx.num_inputs(); ++i) shapes.push_back(ctx.input(i).shape());
    return plans_.Get(shapes, [&]() -> Result<std::shared_ptr<const EinsumPlan>> {
      DF_ASSIGN(EinsumPlan plan, PlanEinsum(equation_, shapes));
      return std::make_shared<const EinsumPlan>(std::move(plan));
    });
  }

  // Input i in the form that its plan says.
  Result<Tensor> Arranged(OpContext& ctx, int i, const EinsumOperand& plan) const {
    Tensor operand = ctx.input(i);
    if (plan.copied) {
      DF_ASSIGN(Tensor copy, ctx.AllocateTemp(operand.dtype(), plan.shape));
      StridedCopy(ctx.pool(), operand.dtype(), operand.raw(), copy.raw(), plan.copy);
      operand = std::move(copy);
    }
    if (!plan.is_reduced) return operand;
    ReductionPlan reduction;
    Shape shape;
    DF_TRY(PlanReduction(plan.shape, plan.reduced, /*keep_dims=*/false, reduction, shape));
    DF_ASSIGN(Tensor reduced, ctx.AllocateTemp(operand.dtype(), shape));
    DF_TRY(cpu::RunReduction(sum_, reduction, operand.raw(), reduced.raw(), ctx));
    return reduced;
  }

  static void Scatter(OpContext& ctx, const EinsumPlan& plan, const Tensor& from, Tensor& output) {
    if (plan.has_gaps) std::memset(output.raw(), 0, output.num_bytes());
    StridedCopy(ctx.pool(), output.dtype(), from.raw(), output.raw(), plan.scatter);
  }

 private:
  const cpu::ReductionLoops& sum_;
  EinsumEquation equation_;
  ShapeCache<std::vector<Shape>, EinsumPlan> plans_;
};

template <class T>
class EinsumKernel final : public EinsumBase {
 public:
  explicit EinsumKernel(KernelSetup& setup) : EinsumBase(setup, cpu::LoopsOf<red::Sum, T>()) {}

  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const std::shared_ptr<const EinsumPlan> plan, PlanFor(ctx));
    Tensor* output = nullptr;
    DF_TRY(ctx.AllocateOutput(0, plan->output, &output));
    if (plan->is_empty || output->num_elements() == 0) {
      std::memset(output->raw(), 0, output->num_bytes());
      return Status();
    }
    DF_ASSIGN(const Tensor first, Arranged(ctx, 0, plan->operands[0]));
    if (plan->operands.size() == 1) {
      Scatter(ctx, *plan, first, *output);
      return Status();
    }
    DF_ASSIGN(const Tensor second, Arranged(ctx, 1, plan->operands[1]));
    const T* a = (plan->swapped ? second : first).data<T>();
    const T* b = (plan->swapped ? first : second).data<T>();
    if (plan->in_order) return Multiply(ctx, *plan, a, b, output->data<T>());
    const int64_t count = plan->batch * plan->product.m * plan->product.n;
    DF_ASSIGN(Tensor product, ctx.AllocateTemp(DTypeOf<T>, Shape({count})));
    DF_TRY(Multiply(ctx, *plan, a, b, product.data<T>()));
    Scatter(ctx, *plan, product, *output);
    return Status();
  }

 private:
  Status Multiply(OpContext& ctx, const EinsumPlan& plan, const T* a, const T* b, T* c) {
    const GemmShape& s = plan.product;
    if (s.m == 1 && s.k == 1 && s.n == 1) {
      MultiplyNumbers(ctx.pool(), plan.batch, a, b, c);
      return Status();
    }
    DF_ASSIGN(const std::shared_ptr<const Gemm<T>> gemm, gemms_.Get(s, [&] { return Gemm<T>::Create(s); }));
    return RunBatch(s, plan.batch, ctx.pool(), [&](int64_t i, ThreadPool& pool) {
      return gemm->Run(a + i * s.m * s.k, b + i * s.k * s.n, c + i * s.m * s.n, pool, ctx.allocator());
    });
  }

  static void MultiplyNumbers(ThreadPool& pool, int64_t count, const T* a, const T* b, T* c) {
    using C = ComputeType<T>;
    using Wrapping = typename red::WideOf<T>::type;
    pool.ParallelFor(count, kBlock, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        if constexpr (std::is_integral_v<T>) {
          c[i] = static_cast<T>(static_cast<Wrapping>(a[i]) * static_cast<Wrapping>(b[i]));
        } else {
          c[i] = static_cast<T>(static_cast<C>(a[i]) * static_cast<C>(b[i]) + C(0));  // a sum's -0 is 0
        }
      }
    });
  }

  ShapeCache<GemmShape, Gemm<T>> gemms_;
};

CPU_KERNEL("Einsum", KernelOf<EinsumKernel>, DF_FLOATS, int32_t, int64_t, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
