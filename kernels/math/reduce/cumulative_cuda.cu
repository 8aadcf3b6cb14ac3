#include <algorithm>

#include "kernels/array/value_bits.h"
#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/math/functions/complex_cuda.h"
#include "kernels/math/functions/reducers.h"
#include "kernels/math/reduce/cumulative.h"
#include "src/base/integers.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// Lines, each in chunks that threads walk along; how many the sizes alone decide.
struct LineChunks {
  int64_t size;
  int64_t inner;
  int64_t chunk;   // elements
  int64_t chunks;  // number of chunks in a line
  int64_t threads;
  bool exclusive;
  bool reverse;

  static LineChunks Of(const AxisLoops& loops, int64_t inner, bool exclusive, bool reverse) {
    // Threads that keep a GPU busy, and elements below which a chunk is not worth a thread.
    constexpr int64_t kThreads = 132 * 2048;
    constexpr int64_t kMin = 512;
    constexpr int64_t kMaxChunks = 256;
    const int64_t lines = std::max<int64_t>(1, loops.outer * inner);
    const int64_t wanted = std::clamp<int64_t>(std::min(kThreads / lines, loops.size / kMin), 1, kMaxChunks);
    const int64_t chunk = std::max<int64_t>(1, CeilDiv(loops.size, wanted));
    const int64_t chunks = CeilDiv(loops.size, chunk);
    return {loops.size, inner, chunk, chunks, loops.outer * inner * chunks, exclusive, reverse};
  }
};

// The position of a thread's chunk; threads of neighbouring lines are neighbours.
struct ChunkOfThread {
  int64_t line;   // the element of the tensor where the line begins
  int64_t first;  // the line's first chunk among all
  int64_t chunk;
  int64_t begin;
  int64_t end;

  DF_DEVICE_FUNCTION static ChunkOfThread Of(const LineChunks& lines, int64_t thread) {
    const int64_t row = thread / lines.inner;
    const int64_t column = thread - row * lines.inner;
    const int64_t outer = row / lines.chunks;
    const int64_t chunk = row - outer * lines.chunks;
    const int64_t begin = chunk * lines.chunk;
    const int64_t end = begin + lines.chunk < lines.size ? begin + lines.chunk : lines.size;
    return {outer * lines.size * lines.inner + column, outer * lines.chunks * lines.inner + column, chunk, begin, end};
  }
  DF_DEVICE_FUNCTION int64_t Element(const LineChunks& lines, int64_t i) const {
    return line + (lines.reverse ? lines.size - 1 - i : i) * lines.inner;
  }
};

template <class R, class T>
DF_DEVICE_KERNEL void ReduceChunks(LineChunks lines, ReduceOperands<R, T> x,
                                   typename R::template Accumulator<T>* reduces) {
  const int64_t thread = cuda::GlobalThreadId();
  if (thread >= lines.threads) return;
  const ChunkOfThread at = ChunkOfThread::Of(lines, thread);
  auto reduce = R::template Start<T>();
  for (int64_t i = at.begin; i < at.end; ++i) reduce = R::Combine(reduce, x.Lift(at.Element(lines, i)));
  reduces[thread] = reduce;
}

template <class R, class T>
DF_DEVICE_KERNEL void WalkChunks(LineChunks lines, ReduceOperands<R, T> x,
                                 const typename R::template Accumulator<T>* reduces, T* y) {
  const int64_t thread = cuda::GlobalThreadId();
  if (thread >= lines.threads) return;
  const ChunkOfThread at = ChunkOfThread::Of(lines, thread);
  auto reduce = R::template Start<T>();
  for (int64_t c = 0; c < at.chunk; ++c) reduce = R::Combine(reduce, reduces[at.first + c * lines.inner]);
  for (int64_t i = at.begin; i < at.end; ++i) {
    const int64_t element = at.Element(lines, i);
    CumulativeStep<R, T>(lines.exclusive, reduce, x.Lift(element), y[element], i);
  }
}

// The kernel for elements of kParts numbers T.
template <class R, class T, int kParts>
class CumulativeKernel : public CumulativeBase {
 public:
  using CumulativeBase::CumulativeBase;
  Status Compute(OpContext& ctx) {
    using A = typename R::template Accumulator<T>;
    DF_ASSIGN(const AxisLoops loops, ReadLoops(ctx));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, ctx.input(0).shape(), &y));
    if (y->num_elements() == 0) return Status();
    const LineChunks lines = LineChunks::Of(loops, loops.inner * kParts, exclusive_, reverse_);
    const auto x = ReduceOperands<R, T>::Of(ctx);
    Tensor memory;
    A* reduces = nullptr;
    if (lines.chunks > 1) {
      DF_ASSIGN(memory, ctx.AllocateTemp(DType::kUint8, Shape({lines.threads * static_cast<int64_t>(sizeof(A))})));
      reduces = static_cast<A*>(memory.raw());
      DF_TRY(cuda::Launch(ctx, lines.threads, &ReduceChunks<R, T>, lines, x, reduces));
    }
    return cuda::Launch(ctx, lines.threads, &WalkChunks<R, T>, lines, x, reduces, static_cast<T*>(y->raw()));
  }
};

// Integers as bits, for they wrap around; sums of complex numbers part by part.
template <class R, class T>
struct CumulativeOf {
  using Kernel = CumulativeKernel<R, ValueBits<T>, 1>;
};
template <class R, class T>
struct CumulativeOf<R, std::complex<T>> {
  using Kernel = CumulativeKernel<R, cuda::Complex<T>, 1>;
};
template <class T>
struct CumulativeOf<red::Sum, std::complex<T>> {
  using Kernel = CumulativeKernel<red::Sum, T, 2>;
};
template <class R>
struct Cumulative {
  template <class T>
  using Kernel = typename CumulativeOf<R, T>::Kernel;
};

CUDA_KERNEL("Cumsum", Cumulative<red::Sum>, DF_NUMBERS);
CUDA_KERNEL("Cumprod", Cumulative<red::Prod>, DF_NUMBERS);
CUDA_KERNEL("LinearRecurrence", Cumulative<LinearSteps>, DF_FLOATS, DF_COMPLEX);

}  // namespace
}  // namespace dfrun
