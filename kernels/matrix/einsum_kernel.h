// EinsumBase and Einsum: the op Einsum on any device. `Movement` is the device's engine of moving elements
// (movement_cpu.h), and a `Products<T>`, of which a kernel has one, does the rest:
//     explicit Products(KernelSetup& setup);
//     static Status Sum(OpContext& ctx, const ReductionPlan& plan, const Tensor& from, Tensor& to);
//     Status Multiply(OpContext& ctx, const EinsumPlan& plan, const T* a, const T* b, T* c);
#ifndef DFRUN_KERNELS_MATRIX_EINSUM_KERNEL_H_
#define DFRUN_KERNELS_MATRIX_EINSUM_KERNEL_H_

#include <memory>
#include <utility>
#include <vector>

#include "kernels/device/shape_cache.h"
#include "kernels/math/reduce/reduction_plan.h"
#include "kernels/matrix/einsum_plan.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun {

// The part of the kernel that every dtype and device has alike.
class EinsumBase : public Kernel {
 public:
  bool IsExpensive() const override { return true; }

 protected:
  explicit EinsumBase(KernelSetup& setup);
  Result<std::shared_ptr<const EinsumPlan>> PlanFor(const OpContext& ctx);

 private:
  EinsumEquation equation_;
  ShapeCache<std::vector<Shape>, EinsumPlan> plans_;
};

template <class Movement, template <class> class Products>
struct Einsum {
  template <class T>
  class Kernel final : public EinsumBase {
   public:
    explicit Kernel(KernelSetup& setup) : EinsumBase(setup), products_(setup) {}

    Status Compute(OpContext& ctx) {
      DF_ASSIGN(const std::shared_ptr<const EinsumPlan> plan, PlanFor(ctx));
      Tensor* output = nullptr;
      DF_TRY(ctx.AllocateOutput(0, plan->output, &output));
      if (plan->is_empty || output->num_elements() == 0) return Movement::Fill(ctx, *output, nullptr);
      DF_ASSIGN(const Tensor first, Arranged(ctx, 0, plan->operands[0]));
      if (plan->operands.size() == 1) return Scatter(ctx, *plan, first, *output);
      DF_ASSIGN(const Tensor second, Arranged(ctx, 1, plan->operands[1]));
      const T* a = (plan->swapped ? second : first).template data<T>();
      const T* b = (plan->swapped ? first : second).template data<T>();
      if (plan->in_order) return products_.Multiply(ctx, *plan, a, b, output->data<T>());
      const int64_t count = plan->batch * plan->product.m * plan->product.n;
      DF_ASSIGN(Tensor product, ctx.AllocateTemp(DTypeOf<T>, Shape({count})));
      DF_TRY(products_.Multiply(ctx, *plan, a, b, product.data<T>()));
      return Scatter(ctx, *plan, product, *output);
    }

   private:
    // Input i in the form that its plan says.
    static Result<Tensor> Arranged(OpContext& ctx, int i, const EinsumOperand& plan) {
      Tensor operand = ctx.input(i);
      if (plan.copied) {
        DF_ASSIGN(Tensor copy, ctx.AllocateTemp(operand.dtype(), plan.shape));
        DF_TRY(Movement::Copy(ctx, operand.dtype(), operand.raw(), copy.raw(), plan.copy));
        operand = std::move(copy);
      }
      if (!plan.is_reduced) return operand;
      ReductionPlan reduction;
      Shape shape;
      DF_TRY(PlanReduction(plan.shape, plan.reduced, /*keep_dims=*/false, reduction, shape));
      DF_ASSIGN(Tensor reduced, ctx.AllocateTemp(operand.dtype(), shape));
      DF_TRY(Products<T>::Sum(ctx, reduction, operand, reduced));
      return reduced;
    }

    static Status Scatter(OpContext& ctx, const EinsumPlan& plan, const Tensor& from, Tensor& output) {
      if (plan.has_gaps) DF_TRY(Movement::Fill(ctx, output, nullptr));
      return Movement::Copy(ctx, output.dtype(), from.raw(), output.raw(), plan.scatter);
    }

    Products<T> products_;
  };
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATRIX_EINSUM_KERNEL_H_
