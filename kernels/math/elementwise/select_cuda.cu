#include "kernels/array/element_size.h"
#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/math/elementwise/broadcast_cuda.h"
#include "kernels/math/elementwise/select.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

template <class E>
DF_DEVICE_KERNEL void SelectElements(const bool* condition, const E* t, const E* e, E* out, cuda::GpuBroadcast plan) {
  const int64_t i = cuda::GlobalThreadId();
  if (i >= plan.count) return;
  uint32_t offsets[3];
  plan.Offsets<3>(static_cast<uint32_t>(i), offsets);
  out[i] = condition[offsets[0]] ? t[offsets[1]] : e[offsets[2]];
}

// Chooses with a condition of shape `condition_shape`, which has as many elements as the condition.
Status Choose(OpContext& ctx, const Shape& condition_shape) {
  const Tensor& t = ctx.input(1);
  const Tensor& e = ctx.input(2);
  BroadcastPlan plan;
  Shape shape;
  DF_TRY(PlanBroadcast({&condition_shape, &t.shape(), &e.shape()}, plan, shape));
  Tensor* out = nullptr;
  DF_TRY(ctx.AllocateOutput(0, shape, &out));
  Status status;
  VisitElementOfSize(DTypeSize(t.dtype()), [&](auto tag) {
    using E = typename decltype(tag)::type;
    status = cuda::ForPieces(plan, [&](const cuda::GpuBroadcast& piece, const cuda::PieceOffsets& at) {
      return cuda::Launch(ctx, piece.count, &SelectElements<E>, ctx.input(0).data<bool>() + at.operands[0],
                          static_cast<const E*>(t.raw()) + at.operands[1],
                          static_cast<const E*>(e.raw()) + at.operands[2], static_cast<E*>(out->raw()) + at.output,
                          piece);
    });
  });
  return status;
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

// Elements are chosen as bytes; those of objects are the host's.
struct Select {
  template <class T>
  using Kernel = SelectKernel;
};
struct SelectV2 {
  template <class T>
  using Kernel = SelectV2Kernel;
};

CUDA_KERNEL("Select", Select, DF_NUMBERS, DF_QUANTIZED, bool);
CUDA_KERNEL("SelectV2", SelectV2, DF_NUMBERS, DF_QUANTIZED, bool);

}  // namespace
}  // namespace dfrun
