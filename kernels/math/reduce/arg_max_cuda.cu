#include <limits>
#include <vector>

#include "kernels/array/int_values.h"
#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/math/functions/element.h"
#include "kernels/math/functions/functors.h"
#include "kernels/math/reduce/axis_loops.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// An element that may be the extreme. The first of equal elements is taken. Elements no better than the worst value,
// NaN among them, are never taken: where there is nothing else the place is 0.
template <class C>
struct Candidate {
  C value;
  int64_t place;
};

template <class Better, class C>
struct Extreme {
  static DF_HOST_DEVICE Candidate<C> Start() {
    using Limits = std::numeric_limits<C>;
    return {std::is_same_v<Better, fn::Greater> ? Limits::lowest() : Limits::max(), 0};
  }
  DF_HOST_DEVICE Candidate<C> operator()(Candidate<C> a, Candidate<C> b) const {
    if (Better()(b.value, a.value) || (b.value == a.value && b.place < a.place)) return b;
    return a;
  }
};

// x[outer, size, inner] along its middle, of which every `step`-th element from `first` on.
template <class Better, class T>
DF_DEVICE_FUNCTION Candidate<ComputeType<T>> FindExtreme(const T* x, int64_t size, int64_t inner, int64_t first,
                                                         int64_t step) {
  using C = ComputeType<T>;
  Candidate<C> best = Extreme<Better, C>::Start();
  for (int64_t i = first; i < size; i += step) {
    const C value = static_cast<C>(x[i * inner]);
    if (Better()(value, best.value)) best = {value, i};
  }
  return best;
}

template <class Better, class T, class I>
DF_DEVICE_KERNEL void ArgByThread(const T* x, I* y, int64_t count, int64_t size, int64_t inner) {
  const int64_t i = cuda::GlobalThreadId();
  if (i >= count) return;
  const int64_t outer = i / inner;
  y[i] = static_cast<I>(FindExtreme<Better>(x + outer * size * inner + (i - outer * inner), size, inner, 0, 1).place);
}

// Rows of contiguous elements.
template <class Better, class T, class I>
DF_DEVICE_KERNEL void ArgByBlock(const T* x, I* y, int64_t size) {
  using C = ComputeType<T>;
  const T* const row = x + cuda::GlobalBlockId() * size;
  const Candidate<C> mine = FindExtreme<Better>(row, size, 1, cuda::ThreadInBlock(), cuda::kBlockThreads);
  const Candidate<C> best = cuda::BlockReduce(mine, Extreme<Better, C>());
  if (cuda::ThreadInBlock() == 0) y[cuda::GlobalBlockId()] = static_cast<I>(best.place);
}

class ArgKernelBase : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"dimension"};
};

template <class Better, class T>
class ArgKernel final : public ArgKernelBase {
 public:
  explicit ArgKernel(KernelSetup&) {}

  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const int64_t dimension, IntScalar(ctx.input(1), "the dimension"));
    DF_ASSIGN(const int64_t axis, CanonicalAxis(dimension, x.shape().rank()));
    const AxisLoops loops(x.shape(), static_cast<int>(axis));
    if (loops.size == 0)
      return InvalidArgument("there is no extreme along dimension ", axis, " of ", x.shape(), ": its size is 0");
    std::vector<int64_t> dims(x.shape().dims().begin(), x.shape().dims().end());
    dims.erase(dims.begin() + axis);
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(std::span<const int64_t>(dims)), &y));
    Status status;
    VisitDType<int16_t, uint16_t, int32_t, int64_t>(
        y->dtype(), [&](auto tag) { status = Find(ctx, x.data<T>(), y->data<typename decltype(tag)::type>(), loops); });
    return status;
  }

 private:
  template <class I>
  static Status Find(OpContext& ctx, const T* x, I* y, const AxisLoops& loops) {
    constexpr int64_t kThreadElements = 32;
    if (loops.inner == 1 && loops.size > kThreadElements) {
      return cuda::LaunchWithBarriers(ctx, loops.outer, &ArgByBlock<Better, T, I>, x, y, loops.size);
    }
    const int64_t count = loops.outer * loops.inner;
    return cuda::Launch(ctx, count, &ArgByThread<Better, T, I>, x, y, count, loops.size, loops.inner);
  }
};

template <class Better>
struct Arg {
  template <class T>
  using Kernel = ArgKernel<Better, T>;
};

CUDA_KERNEL("ArgMax", Arg<fn::Greater>, DF_REAL, bool);
CUDA_KERNEL("ArgMin", Arg<fn::Less>, DF_REAL, bool);

}  // namespace
}  // namespace dfrun
