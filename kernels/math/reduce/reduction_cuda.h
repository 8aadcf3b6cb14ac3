// The GPUs' engine of reductions: CUDA_KERNEL("Sum", cuda::Reduction<red::Sum>, float, int32_t).
//
// Results are folded in an order that the plan alone decides: each output in chunks, each chunk by a thread or by a
// block of threads, and the chunks' partial results by a block.
#ifndef DFRUN_KERNELS_MATH_REDUCE_REDUCTION_CUDA_H_
#define DFRUN_KERNELS_MATH_REDUCE_REDUCTION_CUDA_H_

#include <algorithm>

#include "kernels/device/cuda/runtime/launch.h"
#include "kernels/math/functions/element.h"
#include "kernels/math/functions/element_cuda.h"
#include "kernels/math/functions/vector_cuda.h"
#include "kernels/math/reduce/reduction_plan.h"
#include "src/base/integers.h"

namespace dfrun::cuda {

// The distribution of a reduction over the threads of a GPU.
struct ReduceGrid {
  ReductionPlan plan;
  int64_t outputs = 0;
  int64_t chunk = 0;      // inputs of an output that are folded at a time
  int64_t chunks = 0;     // chunks of an output
  bool by_block = false;  // a block of threads folds a chunk, else a thread

  // The grid for a plan that has outputs.
  static ReduceGrid Of(const ReductionPlan& plan);
};

// The input that is the i-th to fold into output `output`.
DF_HOST_DEVICE inline int64_t FoldedInput(const ReductionPlan& plan, int64_t output, int64_t i) {
  if (plan.row_is_reduced) {
    const int64_t row = i / plan.row;
    return plan.kept.Offset(output) + plan.reduced.Offset(row) + (i - row * plan.row);
  }
  const int64_t line = output / plan.row;
  return plan.kept.Offset(line) + (output - line * plan.row) + plan.reduced.Offset(i);
}

template <class R, class T>
struct ReduceOf {
  using A = typename R::template Accumulator<T>;
  static DF_HOST_DEVICE A Add(A a, const T& x) {
    return R::Combine(a, R::template Lift<T>(static_cast<ComputeType<T>>(x)));
  }
  // Folds, in order, the inputs from `begin` to below `end` that are those of thread `thread` among `threads`.
  static DF_DEVICE_FUNCTION A Reduce(const ReductionPlan& plan, const T* x, int64_t output, int64_t begin, int64_t end,
                                     int thread, int threads) {
    if (plan.row_is_reduced && plan.reduced.count == 1) {
      return ReduceRow(x + plan.kept.Offset(output) + begin, end - begin, thread, threads);
    }
    if (!plan.row_is_reduced && plan.reduced.rank <= 1) {
      const int64_t line = output / plan.row;
      const T* const first = x + plan.kept.Offset(line) + (output - line * plan.row);
      return ReduceLine(first, plan.reduced.strides[0], begin + thread, end, threads);
    }
    A a = R::template Start<T>();
    for (int64_t i = begin + thread; i < end; i += threads) a = Add(a, x[FoldedInput(plan, output, i)]);
    return a;
  }

 private:
  static constexpr int kAtATime = 8;  // elements that are on their way

  // Folds elements that lie in one piece. A thread takes neighbours, which are read at once where they are aligned; the
  // assignment of elements to threads does not depend on that.
  static DF_DEVICE_FUNCTION A ReduceRow(const T* x, int64_t count, int thread, int threads) {
    constexpr int kWidth = WidthOf(sizeof(T));
    constexpr int kVectors = kWidth >= kAtATime ? 1 : kAtATime / kWidth;
    using Vector = ElementVector<T, kWidth>;
    const bool is_aligned = reinterpret_cast<uintptr_t>(x) % sizeof(Vector) == 0;
    const int64_t full = count / kWidth;
    A a = R::template Start<T>();
    int64_t v = thread;
    for (; v + (kVectors - 1) * threads < full; v += kVectors * threads) {
      Vector values[kVectors];
      for (int k = 0; k < kVectors; ++k) values[k] = Load(x + (v + k * threads) * kWidth, is_aligned);
      for (const Vector& vector : values) a = AddAll(a, vector);
    }
    for (; v < full; v += threads) a = AddAll(a, Load(x + v * kWidth, is_aligned));
    if (v == full) {
      for (int64_t i = full * kWidth; i < count; ++i) a = Add(a, x[i]);
    }
    return a;
  }
  static DF_DEVICE_FUNCTION ElementVector<T, WidthOf(sizeof(T))> Load(const T* x, bool is_aligned) {
    constexpr int kWidth = WidthOf(sizeof(T));
    if (is_aligned) return LoadVector<kWidth>(x);
    ElementVector<T, kWidth> vector;
    for (int k = 0; k < kWidth; ++k) vector.at[k] = x[k];
    return vector;
  }
  static DF_DEVICE_FUNCTION A AddAll(A a, const ElementVector<T, WidthOf(sizeof(T))>& vector) {
    for (const T& x : vector.at) a = Add(a, x);
    return a;
  }
  // Folds elements that are `stride` apart.
  static DF_HOST_DEVICE A ReduceLine(const T* x, int64_t stride, int64_t begin, int64_t end, int64_t step) {
    A a = R::template Start<T>();
    int64_t i = begin;
    for (; i + (kAtATime - 1) * step < end; i += kAtATime * step) {
      T values[kAtATime];
      for (int k = 0; k < kAtATime; ++k) values[k] = x[(i + k * step) * stride];
      for (int k = 0; k < kAtATime; ++k) a = Add(a, values[k]);
    }
    for (; i < end; i += step) a = Add(a, x[i * stride]);
    return a;
  }
};

struct CombineBy {
  template <class R, class A>
  struct With {
    DF_HOST_DEVICE A operator()(A a, A b) const { return R::Combine(a, b); }
  };
};

// Partial results, [output][chunk], or where there is one chunk the outputs themselves.
template <class R, class T>
DF_DEVICE_KERNEL void ReduceByBlock(ReduceGrid grid, const T* x, typename ReduceOf<R, T>::A* partials, T* y) {
  using A = typename ReduceOf<R, T>::A;
  const int64_t block = GlobalBlockId();
  const int64_t output = block / grid.chunks;
  const int64_t begin = (block - output * grid.chunks) * grid.chunk;
  const int64_t most = grid.plan.num_reduced();
  const int64_t end = begin + grid.chunk < most ? begin + grid.chunk : most;
  const A mine = ReduceOf<R, T>::Reduce(grid.plan, x, output, begin, end, ThreadInBlock(), kBlockThreads);
  const A all = BlockReduce(mine, CombineBy::With<R, A>());
  if (ThreadInBlock() != 0) return;
  if (grid.chunks == 1) {
    y[output] = R::template Finish<T>(all, most);
  } else {
    partials[block] = all;
  }
}

// Neighbouring threads have neighbouring outputs, whose inputs lie side by side.
template <class R, class T>
DF_DEVICE_KERNEL void ReduceByThread(ReduceGrid grid, const T* x, typename ReduceOf<R, T>::A* partials, T* y) {
  using A = typename ReduceOf<R, T>::A;
  const int64_t thread = GlobalThreadId();
  if (thread >= grid.outputs * grid.chunks) return;
  const int64_t chunk = thread / grid.outputs;
  const int64_t output = thread - chunk * grid.outputs;
  const int64_t begin = chunk * grid.chunk;
  const int64_t most = grid.plan.num_reduced();
  const int64_t end = begin + grid.chunk < most ? begin + grid.chunk : most;
  const A mine = ReduceOf<R, T>::Reduce(grid.plan, x, output, begin, end, 0, 1);
  if (grid.chunks == 1) {
    y[output] = R::template Finish<T>(mine, most);
  } else {
    partials[output * grid.chunks + chunk] = mine;
  }
}

template <class R, class T>
DF_DEVICE_KERNEL void ReducePartials(const typename ReduceOf<R, T>::A* partials, int64_t chunks, int64_t reduced,
                                     T* y) {
  using A = typename ReduceOf<R, T>::A;
  const int64_t output = GlobalBlockId();
  A mine = R::template Start<T>();
  for (int64_t i = ThreadInBlock(); i < chunks; i += kBlockThreads) {
    mine = R::Combine(mine, partials[output * chunks + i]);
  }
  const A all = BlockReduce(mine, CombineBy::With<R, A>());
  if (ThreadInBlock() == 0) y[output] = R::template Finish<T>(all, reduced);
}

template <class R, class T>
Status LaunchReduce(OpContext& ctx, const ReductionPlan& plan, const void* x_data, void* y_data) {
  using A = typename ReduceOf<R, T>::A;
  if (plan.num_outputs() == 0) return Status();
  const ReduceGrid grid = ReduceGrid::Of(plan);
  const T* const x = static_cast<const T*>(x_data);
  T* const y = static_cast<T*>(y_data);
  const int64_t reduces = grid.outputs * grid.chunks;
  Tensor memory;
  A* partials = nullptr;
  if (grid.chunks > 1) {
    DF_ASSIGN(memory, ctx.AllocateTemp(DType::kUint8, Shape({reduces * static_cast<int64_t>(sizeof(A))})));
    partials = static_cast<A*>(memory.raw());
  }
  if (grid.by_block) {
    DF_TRY(LaunchWithBarriers(ctx, reduces, &ReduceByBlock<R, T>, grid, x, partials, y));
  } else {
    DF_TRY(Launch(ctx, reduces, &ReduceByThread<R, T>, grid, x, partials, y));
  }
  if (grid.chunks == 1) return Status();
  return LaunchWithBarriers(ctx, grid.outputs, &ReducePartials<R, T>, partials, grid.chunks, plan.num_reduced(), y);
}

using ReduceLaunch = Status (*)(OpContext& ctx, const ReductionPlan& plan, const void* x, void* y);

// Inputs: the tensor, the axes. Attr keep_dims.
class ReductionKernel : public Kernel {
 public:
  static constexpr std::string_view kHostInputs[] = {"reduction_indices"};
  ReductionKernel(KernelSetup& setup, ReduceLaunch launch)
      : launch_(launch), keep_dims_(setup.attr<bool>("keep_dims")) {}
  Status Compute(OpContext& ctx);

 private:
  const ReduceLaunch launch_;
  const bool keep_dims_;
};

// The kernels of an engine whose constructor takes the launch of reducer R.
template <class Engine, class R>
struct FoldingWith {
  template <class T>
  struct Kernel : Engine {
    explicit Kernel(KernelSetup& setup) : Engine(setup, &LaunchReduce<R, GpuType<T>>) {}
  };
};

template <class R>
using Reduction = FoldingWith<ReductionKernel, R>;

}  // namespace dfrun::cuda

#endif  // DFRUN_KERNELS_MATH_REDUCE_REDUCTION_CUDA_H_
