// The loops that a reducer folds elements with. They take long to compile: what is different of Mean and Sum, or of
// segments and whole dimensions, comes after them, so that each reducer's loops are compiled in one source,
//
//   const ReducerLoops& red::Sum::Reduces(DType dtype) {
//     return ReducesOf<Sum, DF_NUMBERS>(dtype);
//   }
#ifndef DFRUN_KERNELS_MATH_REDUCE_REDUCE_LOOPS_H_
#define DFRUN_KERNELS_MATH_REDUCE_REDUCE_LOOPS_H_

#include <cstddef>
#include <cstdint>

#include "kernels/math/functions/element.h"
#include "kernels/math/functions/reducers.h"
#include "kernels/math/reduce/reduction.h"
#include "src/base/stream_store.h"

namespace dfrun {

// R as reducers.h says.
template <class R, class T>
struct ReduceLoops {
  using C = ComputeType<T>;
  using A = typename R::template Accumulator<T>;

  static void Start(void* accumulators, int64_t n) {
    A* a = static_cast<A*>(accumulators);
    for (int64_t j = 0; j < n; ++j) a[j] = R::template Start<T>();
  }
  static A Reduce(A accumulator, const T& x) { return R::Combine(accumulator, R::template Lift<T>(static_cast<C>(x))); }
  // A leaf of the pairwise tree: as many independent sums as fill the vector units.
  static constexpr int64_t kLanes = sizeof(A) >= 16 ? 8 : sizeof(A) == 8 ? 16 : 32;
  static constexpr int64_t kLeaf = 64 * kLanes;
  // Prefetches two pages ahead: more elements are likely to follow, and a CPU's own prefetchers stop at a page's end.
  // The lines come to the second-level cache first, since the first keeps few requests: where memory is slow, after a
  // rest, sums take 0.88 of the time.
  [[gnu::always_inline]] static void FetchAhead(const T* x, size_t bytes) {
    constexpr int64_t kPage = 4096 / sizeof(T);
    PrefetchLines<2>(x + 2 * kPage, bytes);
    PrefetchLines(x + kPage, bytes);
  }
  template <int64_t kHalf = kLanes / 2>
  static A JoinLanes(A* lanes) {
#pragma GCC unroll 16
    for (int64_t l = 0; l < kHalf; ++l) lanes[l] = R::Combine(lanes[l], lanes[l + kHalf]);
    if constexpr (kHalf > 1) return JoinLanes<kHalf / 2>(lanes);
    return lanes[0];
  }
  [[gnu::noinline]] static A ReduceShortLeaf(const T* x, int64_t n) {
    A lanes[kLanes];
    Start(lanes, kLanes);
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      FetchAhead(x + i, kLanes * sizeof(T));
      for (int64_t l = 0; l < kLanes; ++l) lanes[l] = Reduce(lanes[l], x[i + l]);
    }
    for (; i < n; ++i) lanes[i % kLanes] = Reduce(lanes[i % kLanes], x[i]);
    return JoinLanes(lanes);
  }
  // Folds kLeaf elements.
  [[gnu::noinline]] static A ReduceLeaf(const T* x) {
    constexpr int64_t kFetched = 4 * kLanes;
    alignas(64) A lanes[kLanes];
    Start(lanes, kLanes);
    for (int64_t i = 0; i < kLeaf; i += kFetched) {
      FetchAhead(x + i, kFetched * sizeof(T));
      for (int64_t j = i; j < i + kFetched; j += kLanes) {
        for (int64_t l = 0; l < kLanes; ++l) lanes[l] = Reduce(lanes[l], x[j + l]);
      }
    }
    return JoinLanes(lanes);
  }
  static A ReduceTree(const T* x, int64_t n) {
    if (n < kLeaf) return ReduceShortLeaf(x, n);
    if (n == kLeaf) return ReduceLeaf(x);
    const int64_t half = (n / 2 + kLeaf - 1) / kLeaf * kLeaf;
    const A first = ReduceTree(x, half);  // in the order of memory: arguments may be evaluated from the last on
    return R::Combine(first, ReduceTree(x + half, n - half));
  }
  static void ReduceRun(const void* x, int64_t n, void* accumulator) {
    A* a = static_cast<A*>(accumulator);
    *a = R::Combine(*a, ReduceTree(static_cast<const T*>(x), n));
  }
  // Element by element of as many rows as there are lanes.
  static void ReduceShortRows(const void* x_data, int64_t rows, int64_t n, void* accumulators) {
    const T* x = static_cast<const T*>(x_data);
    A* a = static_cast<A*>(accumulators);
    for (; rows >= kLanes; rows -= kLanes, x += kLanes * n, a += kLanes) {
      A lanes[kLanes];
      Start(lanes, kLanes);
      for (int64_t i = 0; i < n; ++i) {
        DF_INDEPENDENT_ITERATIONS
        for (int64_t l = 0; l < kLanes; ++l) lanes[l] = Reduce(lanes[l], x[l * n + i]);
      }
      for (int64_t l = 0; l < kLanes; ++l) a[l] = lanes[l];
    }
    for (; rows > 0; --rows, x += n, ++a) {
      *a = R::template Start<T>();
      for (int64_t i = 0; i < n; ++i) *a = Reduce(*a, x[i]);
    }
  }
  // Four rows at a time, so that the accumulators are loaded and stored a fourth as often.
  static void ReduceRows(const void* x_data, int64_t rows, int64_t stride, int64_t n, void* accumulators) {
    const T* x = static_cast<const T*>(x_data);
    A* a = static_cast<A*>(accumulators);
    for (; rows >= 4; rows -= 4, x += 4 * stride) {
      const T* x1 = x + stride;
      const T* x2 = x1 + stride;
      const T* x3 = x2 + stride;
      DF_INDEPENDENT_ITERATIONS
      for (int64_t j = 0; j < n; ++j) a[j] = Reduce(Reduce(Reduce(Reduce(a[j], x[j]), x1[j]), x2[j]), x3[j]);
    }
    for (; rows > 0; --rows, x += stride) {
      DF_INDEPENDENT_ITERATIONS
      for (int64_t j = 0; j < n; ++j) a[j] = Reduce(a[j], x[j]);
    }
  }
  static void Merge(const void* partials, int64_t n, void* accumulators) {
    const A* p = static_cast<const A*>(partials);
    A* a = static_cast<A*>(accumulators);
    for (int64_t j = 0; j < n; ++j) a[j] = R::Combine(a[j], p[j]);
  }
  static constexpr cpu::ReducerLoops kLoops = {sizeof(T),        sizeof(A),   &Start, &ReduceRun,
                                               &ReduceShortRows, &ReduceRows, &Merge};
};

// The loops for a dtype, which is one of Ts.
template <class R, class... Ts>
const cpu::ReducerLoops& ReducesOf(DType dtype) {
  const cpu::ReducerLoops* reduces = nullptr;
  ((dtype == DTypeOf<Ts> ? void(reduces = &ReduceLoops<R, Ts>::kLoops) : void()), ...);
  DF_CHECK(reduces != nullptr);
  return *reduces;
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_MATH_REDUCE_REDUCE_LOOPS_H_
