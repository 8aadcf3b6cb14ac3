#include "kernels/math/elementwise/binary.h"

#include "kernels/math/elementwise/elementwise.h"

namespace dfrun::cpu {
namespace {

// Shorter runs are not worth their unaligned ends.
constexpr int64_t kStreamedRun = 1024;
// The distance in bytes by which the prefetch of operands runs ahead of a streamed result.
constexpr int64_t kAheadBytes = 2048;

// Prefetches the elements that an operand has kAheadBytes after these, unless it repeats.
void PrefetchAhead(const std::byte* operand, int64_t step, int64_t count, size_t element_size) {
  if (step != 0) PrefetchLines(operand + kAheadBytes, static_cast<size_t>(count) * element_size);
}

}  // namespace

BinaryKernel::BinaryKernel(KernelSetup& setup, const BinaryLoops& loops, bool broadcasts) : loops_(loops) {
  expensive_ = setup.output_shape(0).num_elements() >= kExpensiveCount;
  if (IsPreallocated(setup)) ChoosePreallocated(setup, broadcasts);
}

void BinaryKernel::ChoosePreallocated(KernelSetup& setup, bool broadcasts) {
  Result<dfrun::Shape> x = setup.input_shape(0).ToShape();
  Result<dfrun::Shape> y = setup.input_shape(1).ToShape();
  dfrun::Shape z;
  if (!x.ok() || !y.ok() || loops_.refuse != nullptr) return;
  // Compute() reports the error.
  if ((!broadcasts && *x != *y) || !PlanBroadcast({&*x, &*y}, plan_, z).ok()) return;
  if (z.rank() == 0) {
    set_fn(loops_.scalar);
  } else if (*x == *y && plan_.count <= kElementBlock) {
    set_fn(&RunSameShape);
  } else {
    set_fn(&RunPreallocated);
  }
}

Status BinaryKernel::Compute(OpContext& ctx) {
  const Tensor& x = ctx.input(0);
  const Tensor& y = ctx.input(1);
  BroadcastPlan plan;
  Shape shape;
  DF_TRY(PlanBroadcast({&x.shape(), &y.shape()}, plan, shape));
  if (loops_.refuse != nullptr && plan.count > 0) {
    if (const char* refusal = loops_.refuse(y.raw(), y.num_elements()))
      return InvalidArgument(refusal, "; the operands are ", x.dtype(), x.shape(), " and ", y.dtype(), y.shape());
  }
  Tensor* z = nullptr;
  DF_TRY(ctx.ForwardOrAllocate(x.shape() == shape ? 0 : 1, 0, shape, &z));
  Run(plan, x.raw(), y.raw(), z->raw(), ctx.pool());
  return Status();
}

Status BinaryKernel::RunSameShape(Kernel* kernel, OpContext& ctx) {
  const auto* self = static_cast<const BinaryKernel*>(kernel);
  self->loops_.both(ctx.input_data<std::byte>(0), ctx.input_data<std::byte>(1), ctx.preallocated_output<std::byte>(0),
                    self->plan_.count);
  return Status();
}

Status BinaryKernel::RunPreallocated(Kernel* kernel, OpContext& ctx) {
  const auto* self = static_cast<const BinaryKernel*>(kernel);
  self->Run(self->plan_, ctx.input_data<std::byte>(0), ctx.input_data<std::byte>(1),
            ctx.preallocated_output<std::byte>(0), ctx.pool());
  return Status();
}

void BinaryKernel::Run(const BroadcastPlan& plan, const void* x, const void* y, void* z, ThreadPool& pool) const {
  // A result that takes over an operand's buffer is not streamed: its lines are in the cache by the time that they are
  // written.
  const bool streams = z != x && z != y && IsStreamed(plan.count, loops_.output_size) && loops_.streams;
  pool.ParallelForEvenly(plan.count, kElementBlock, kElementStep,
                         [&](int64_t begin, int64_t end) { RunRange(plan, x, y, z, begin, end, streams); });
}

void BinaryKernel::RunRange(const BroadcastPlan& plan, const void* x, const void* y, void* z, int64_t begin,
                            int64_t end, bool streams) const {
  const int inner = plan.rank - 1;
  const BinaryLoops::Run run = plan.strides[0][inner] == 0   ? loops_.x_repeat
                               : plan.strides[1][inner] == 0 ? loops_.y_repeat
                                                             : loops_.both;
  const int64_t x_step = plan.strides[0][inner];
  const int64_t y_step = plan.strides[1][inner];
  ForEachRun(plan, begin, end, [&](int64_t at, const int64_t* offsets, int64_t n) {
    if (streams && n >= kStreamedRun) {
      if (run == loops_.both && loops_.stream_both != nullptr && IsLineAligned(At(z, at, loops_.output_size))) {
        return loops_.stream_both(At(x, offsets[0], loops_.input_size), At(y, offsets[1], loops_.input_size),
                                  At(z, at, loops_.output_size), n);
      }
      return StreamPieces(z, loops_.output_size, at, at + n, [&](int64_t from, int64_t count, void* piece) {
        const std::byte* const x_piece = At(x, offsets[0] + (from - at) * x_step, loops_.input_size);
        const std::byte* const y_piece = At(y, offsets[1] + (from - at) * y_step, loops_.input_size);
        PrefetchAhead(x_piece, x_step, count, loops_.input_size);
        PrefetchAhead(y_piece, y_step, count, loops_.input_size);
        run(x_piece, y_piece, piece, count);
      });
    }
    run(At(x, offsets[0], loops_.input_size), At(y, offsets[1], loops_.input_size), At(z, at, loops_.output_size), n);
  });
}

}  // namespace dfrun::cpu
