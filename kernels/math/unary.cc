#include "kernels/math/unary.h"

#include "kernels/math/elementwise.h"

namespace dfrun {

UnaryKernel::UnaryKernel(KernelSetup& setup, const UnaryLoop& loop)
    : loop_(loop), count_(setup.input_shape(0).num_elements()) {
  if (!IsPlaced(setup)) return;
  set_fn(setup.input_shape(0).rank() == 0 ? loop.scalar : &RunPlaced);
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

Status UnaryKernel::RunPlaced(Kernel* kernel, OpContext& ctx) {
  const auto* self = static_cast<const UnaryKernel*>(kernel);
  self->Run(ctx.input_data<std::byte>(0), ctx.placed_output<std::byte>(0), self->count_, ctx.pool());
  return Status();
}

void UnaryKernel::Run(const void* x, void* y, int64_t n, ThreadPool& pool) const {
  if (n <= kElementBlock) return loop_.run(x, y, n);
  const bool streams = x != y && static_cast<size_t>(n) * loop_.output_size >= kStreamBytes;
  pool.ParallelFor(n, kElementBlock, [&](int64_t begin, int64_t end) {
    if (streams && loop_.stream != nullptr && IsLineAligned(At(y, begin, loop_.output_size)))
      return loop_.stream(At(x, begin, loop_.input_size), At(y, begin, loop_.output_size), end - begin);
    if (streams) {
      return StreamPieces(y, loop_.output_size, begin, end, [&](int64_t at, int64_t count, void* piece) {
        loop_.run(At(x, at, loop_.input_size), piece, count);
      });
    }
    loop_.run(At(x, begin, loop_.input_size), At(y, begin, loop_.output_size), end - begin);
  });
}

}  // namespace dfrun
