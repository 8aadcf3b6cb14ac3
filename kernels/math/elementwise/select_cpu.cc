#include <algorithm>
#include <type_traits>

#include "kernels/array/element_size.h"
#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/broadcast.h"
#include "kernels/math/elementwise/elementwise.h"
#include "kernels/math/elementwise/select.h"

namespace dfrun {
namespace {

template <bool kWalkT, bool kWalkE, class E>
void ChooseEach(const bool* condition, const E* t, const E* e, E* out, int64_t n) {
  const E first_t = *t;
  const E first_e = *e;
  DF_INDEPENDENT_ITERATIONS
  for (int64_t i = 0; i < n; ++i) {
    const E from_t = kWalkT ? t[i] : first_t;  // both are read, so that the loop vectorises
    const E from_e = kWalkE ? e[i] : first_e;
    if constexpr (std::is_unsigned_v<E>) {  // by masks: a choice by a narrower bool stays a branch
      const E mask = static_cast<E>(-static_cast<E>(condition[i]));
      out[i] = static_cast<E>((from_t & mask) | (from_e & static_cast<E>(~mask)));
    } else {
      out[i] = condition[i] ? from_t : from_e;
    }
  }
}

template <class E>
void CopyOrRepeat(const E* from, int64_t stride, E* out, int64_t n) {
  if (stride == 0) {
    std::fill_n(out, n, *from);
  } else {
    std::copy_n(from, n, out);
  }
}

// A stretch of n elements over which each operand walks (stride 1) or repeats (stride 0).
template <class E>
void SelectRun(const bool* condition, const E* t, const E* e, E* out, int64_t n, int64_t c_stride, int64_t t_stride,
               int64_t e_stride) {
  if (c_stride == 0) return *condition ? CopyOrRepeat(t, t_stride, out, n) : CopyOrRepeat(e, e_stride, out, n);
  if (t_stride != 0 && e_stride != 0) return ChooseEach<true, true>(condition, t, e, out, n);
  if (t_stride != 0) return ChooseEach<true, false>(condition, t, e, out, n);
  if (e_stride != 0) return ChooseEach<false, true>(condition, t, e, out, n);
  ChooseEach<false, false>(condition, t, e, out, n);
}

// Chooses with a condition of shape `condition_shape`, which has as many elements as the condition.
Status Choose(OpContext& ctx, const Shape& condition_shape) {
  const Tensor& condition = ctx.input(0);
  const Tensor& t = ctx.input(1);
  const Tensor& e = ctx.input(2);
  BroadcastPlan plan;
  Shape shape;
  DF_TRY(PlanBroadcast({&condition_shape, &t.shape(), &e.shape()}, plan, shape));
  Tensor* out = nullptr;
  DF_TRY(ctx.AllocateOutput(0, shape, &out));
  VisitElement(t.dtype(), [&](auto tag) {
    using E = typename decltype(tag)::type;
    const int inner = plan.rank - 1;
    const bool streams = std::is_trivially_copyable_v<E> && IsStreamed(plan.count, sizeof(E));
    MakeElements(ctx.pool(), out->raw(), sizeof(E), plan.count, streams, [&](int64_t begin, int64_t count, void* to) {
      ForEachRun(plan, begin, begin + count, [&](int64_t at, const int64_t* offsets, int64_t n) {
        SelectRun(condition.data<bool>() + offsets[0], static_cast<const E*>(t.raw()) + offsets[1],
                  static_cast<const E*>(e.raw()) + offsets[2], static_cast<E*>(to) + (at - begin), n,
                  plan.strides[0][inner], plan.strides[1][inner], plan.strides[2][inner]);
      });
    });
  });
  return Status();
}

class SelectV2Kernel : public Kernel {
 public:
  explicit SelectV2Kernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) { return Choose(ctx, ctx.input(0).shape()); }
};

class SelectKernel : public Kernel {
 public:
  explicit SelectKernel(KernelSetup&) {}
  Status Compute(OpContext& ctx) {
    DF_ASSIGN(const Shape condition,
              ConditionOfSelect(ctx.input(0).shape(), ctx.input(1).shape(), ctx.input(2).shape()));
    return Choose(ctx, condition);
  }
};

CPU_KERNEL_ANY("Select", SelectKernel);
CPU_KERNEL_ANY("SelectV2", SelectV2Kernel);

}  // namespace
}  // namespace dfrun
