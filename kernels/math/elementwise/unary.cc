#include "kernels/math/elementwise/unary.h"

#include "kernels/math/elementwise/elementwise.h"

namespace dfrun::cpu {

UnaryKernel::UnaryKernel(KernelSetup& setup, const UnaryLoop& loop)
    : loop_(loop), count_(setup.input_shape(0).num_elements()) {
  if (!IsPreallocated(setup)) return;
  set_fn(setup.input_shape(0).rank() == 0 ? loop.scalar : &RunPreallocated);
}

bool UnaryKernel::IsExpensive() const {
  return count_ >= kExpensiveCount;
}

Status UnaryKernel::Compute(OpContext& ctx) {
  const Tensor& x = ctx.input(0);
  Tensor* y = nullptr;
  DF_TRY(ctx.ForwardOrAllocate(0, 0, x.shape(), &y));
  Run(x.raw(), y->raw(), x.num_elements(), ctx.pool());
  return Status();
}

Status UnaryKernel::RunPreallocated(Kernel* kernel, OpContext& ctx) {
  const auto* self = static_cast<const UnaryKernel*>(kernel);
  self->Run(ctx.input_data<std::byte>(0), ctx.preallocated_output<std::byte>(0), self->count_, ctx.pool());
  return Status();
}

void UnaryKernel::Run(const void* x, void* y, int64_t n, ThreadPool& pool) const {
  if (n <= kElementBlock) return loop_.run(x, y, n);
  const bool streams = x != y && IsStreamed(n, loop_.output_size);
  if (streams && loop_.stream != nullptr && IsLineAligned(y)) {
    pool.ParallelFor(n, kElementBlock, [&](int64_t begin, int64_t end) {
      loop_.stream(At(x, begin, loop_.input_size), At(y, begin, loop_.output_size), end - begin);
    });
    return;
  }
  MakeElements(pool, y, loop_.output_size, n, streams,
               [&](int64_t at, int64_t count, void* to) { loop_.run(At(x, at, loop_.input_size), to, count); });
}

}  // namespace dfrun::cpu
