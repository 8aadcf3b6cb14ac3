// The engine of reductions: CPU_KERNEL("Sum", Reduction<red::Sum>, float, int32_t).
//
// An op's kernel is its loops over contiguous elements; planning, splitting and merging are ReductionKernel's, which is
// compiled once. Work is split at bounds that depend on the shape alone and partial results are merged in the order of
// the elements, so the result is the same on any number of threads.
#ifndef DFRUN_KERNELS_MATH_REDUCTION_H_
#define DFRUN_KERNELS_MATH_REDUCTION_H_

#include <cstddef>

#include "kernels/math/element.h"
#include "kernels/math/reduction_plan.h"
#include "src/base/stream_store.h"
#include "src/framework/kernel.h"

namespace dfrun {

// Accumulators are plain data of `accumulator_size` bytes.
struct ReductionLoops {
  size_t input_size;
  size_t output_size;
  size_t accumulator_size;
  void (*start)(void* accumulators, int64_t n);
  // Folds x[0..n) into one accumulator, pairwise.
  void (*fold_run)(const void* x, int64_t n, void* accumulator);
  // Folds each of `rows` short rows of n elements, one after the other in memory, into an accumulator of its own.
  void (*fold_short_rows)(const void* x, int64_t rows, int64_t n, void* accumulators);
  // Folds row after row, `stride` elements apart, into the accumulators: x[r * stride + j] into accumulators[j].
  void (*fold_rows)(const void* x, int64_t rows, int64_t stride, int64_t n, void* accumulators);
  // Folds partials[j] into accumulators[j].
  void (*merge)(const void* partials, int64_t n, void* accumulators);
  // outputs[j] from accumulators[j], into each of which `reduced` elements went.
  void (*finish)(const void* accumulators, int64_t n, int64_t reduced, void* outputs);
};

// Runs a planned reduction of `input` into `output`.
Status RunReduction(const ReductionLoops& loops, const ReductionPlan& plan, const void* input, void* output,
                    OpContext& ctx);

// Inputs: the tensor, the axes. Attr keep_dims.
class ReductionKernel : public Kernel {
 public:
  ReductionKernel(KernelSetup& setup, const ReductionLoops& loops);
  Status Compute(OpContext& ctx);
  bool IsExpensive() const override { return expensive_; }

 private:
  const ReductionLoops& loops_;
  const bool keep_dims_;
  bool expensive_;
};

// The loops of a reducer, which has (T: element, C: ComputeType<T>)
//     template <class T> using Accumulator
//     template <class T> static Accumulator<T> Start()
//     template <class T> static Accumulator<T> Lift(C x)                     // an element as an accumulator
//     template <class A> static A Combine(A, A)                              // associative but for rounding
//     template <class T> static T Finish(Accumulator<T>, int64_t reduced)
template <class R, class T>
struct ReductionOf {
  using C = ComputeType<T>;
  using A = typename R::template Accumulator<T>;

  static void Start(void* accumulators, int64_t n) {
    A* a = static_cast<A*>(accumulators);
    for (int64_t j = 0; j < n; ++j) a[j] = R::template Start<T>();
  }
  static A Fold(A accumulator, const T& x) { return R::Combine(accumulator, R::template Lift<T>(static_cast<C>(x))); }
  // A leaf of the pairwise tree: as many independent sums as fill the vector units.
  static constexpr int64_t kLanes = sizeof(A) >= 16 ? 8 : sizeof(A) == 8 ? 16 : 32;
  static constexpr int64_t kLeaf = 64 * kLanes;
  template <int64_t kHalf = kLanes / 2>
  static A JoinLanes(A* lanes) {
#pragma GCC unroll 16
    for (int64_t l = 0; l < kHalf; ++l) lanes[l] = R::Combine(lanes[l], lanes[l + kHalf]);
    if constexpr (kHalf > 1) return JoinLanes<kHalf / 2>(lanes);
    return lanes[0];
  }
  [[gnu::noinline]] static A FoldShortLeaf(const T* x, int64_t n) {
    A lanes[kLanes];
    Start(lanes, kLanes);
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      for (int64_t l = 0; l < kLanes; ++l) lanes[l] = Fold(lanes[l], x[i + l]);
    }
    for (; i < n; ++i) lanes[i % kLanes] = Fold(lanes[i % kLanes], x[i]);
    return JoinLanes(lanes);
  }
  // The same for kLeaf elements, of which more may follow.
  [[gnu::noinline]] static A FoldLeaf(const T* x) {
    constexpr int64_t kFetched = 4 * kLanes;
    constexpr size_t kPage = 4096;
    alignas(64) A lanes[kLanes];
    Start(lanes, kLanes);
    for (int64_t i = 0; i < kLeaf; i += kFetched) {
      PrefetchLines(x + i + 2 * kPage / sizeof(T), kFetched * sizeof(T));
      for (int64_t j = i; j < i + kFetched; j += kLanes) {
        for (int64_t l = 0; l < kLanes; ++l) lanes[l] = Fold(lanes[l], x[j + l]);
      }
    }
    return JoinLanes(lanes);
  }
  static A FoldTree(const T* x, int64_t n) {
    if (n < kLeaf) return FoldShortLeaf(x, n);
    if (n == kLeaf) return FoldLeaf(x);
    const int64_t half = (n / 2 + kLeaf - 1) / kLeaf * kLeaf;
    const A first = FoldTree(x, half);  // in the order of memory: arguments may be evaluated from the last on
    return R::Combine(first, FoldTree(x + half, n - half));
  }
  static void FoldRun(const void* x, int64_t n, void* accumulator) {
    A* a = static_cast<A*>(accumulator);
    *a = R::Combine(*a, FoldTree(static_cast<const T*>(x), n));
  }
  // Element by element of as many rows as there are lanes.
  static void FoldShortRows(const void* x_data, int64_t rows, int64_t n, void* accumulators) {
    const T* x = static_cast<const T*>(x_data);
    A* a = static_cast<A*>(accumulators);
    for (; rows >= kLanes; rows -= kLanes, x += kLanes * n, a += kLanes) {
      A lanes[kLanes];
      Start(lanes, kLanes);
      for (int64_t i = 0; i < n; ++i) {
        DF_INDEPENDENT_ITERATIONS
        for (int64_t l = 0; l < kLanes; ++l) lanes[l] = Fold(lanes[l], x[l * n + i]);
      }
      for (int64_t l = 0; l < kLanes; ++l) a[l] = lanes[l];
    }
    for (; rows > 0; --rows, x += n, ++a) {
      *a = R::template Start<T>();
      for (int64_t i = 0; i < n; ++i) *a = Fold(*a, x[i]);
    }
  }
  // Four rows at a time, so that the accumulators are loaded and stored a fourth as often.
  static void FoldRows(const void* x_data, int64_t rows, int64_t stride, int64_t n, void* accumulators) {
    const T* x = static_cast<const T*>(x_data);
    A* a = static_cast<A*>(accumulators);
    for (; rows >= 4; rows -= 4, x += 4 * stride) {
      const T* x1 = x + stride;
      const T* x2 = x1 + stride;
      const T* x3 = x2 + stride;
      DF_INDEPENDENT_ITERATIONS
      for (int64_t j = 0; j < n; ++j) a[j] = Fold(Fold(Fold(Fold(a[j], x[j]), x1[j]), x2[j]), x3[j]);
    }
    for (; rows > 0; --rows, x += stride) {
      DF_INDEPENDENT_ITERATIONS
      for (int64_t j = 0; j < n; ++j) a[j] = Fold(a[j], x[j]);
    }
  }
  static void Merge(const void* partials, int64_t n, void* accumulators) {
    const A* p = static_cast<const A*>(partials);
    A* a = static_cast<A*>(accumulators);
    for (int64_t j = 0; j < n; ++j) a[j] = R::Combine(a[j], p[j]);
  }
  static void Finish(const void* accumulators, int64_t n, int64_t reduced, void* outputs) {
    const A* a = static_cast<const A*>(accumulators);
    T* y = static_cast<T*>(outputs);
    for (int64_t j = 0; j < n; ++j) y[j] = R::template Finish<T>(a[j], reduced);
  }
  static constexpr ReductionLoops kLoops = {sizeof(T),      sizeof(T), sizeof(A), &Start, &FoldRun,
                                            &FoldShortRows, &FoldRows, &Merge,    &Finish};
};

// The kernels of an engine that is made with the loops of what it folds with.
template <class Engine, class R>
struct FoldingWith {
  template <class T>
  struct Kernel : Engine {
    explicit Kernel(KernelSetup& setup) : Engine(setup, ReductionOf<R, T>::kLoops) {}
  };
};

template <class R>
using Reduction = FoldingWith<ReductionKernel, R>;

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_REDUCTION_H_
