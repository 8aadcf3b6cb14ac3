// The engine of element-wise ops with one input: CPU_KERNEL("Tanh", cpu::Unary<fn::Tanh>, float, double).
//
// An op's kernel is its loop over contiguous elements; allocation, forwarding of the input's buffer, splitting over the
// pool and the choice of a shorter way for static shapes are UnaryKernel's, which is compiled once.
#ifndef DFRUN_KERNELS_MATH_ELEMENTWISE_UNARY_H_
#define DFRUN_KERNELS_MATH_ELEMENTWISE_UNARY_H_

#include <algorithm>
#include <cstddef>

#include "kernels/math/functions/element.h"
#include "kernels/math/functions/line_functions.h"
#include "src/base/stream_store.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun::cpu {

struct UnaryLoop {
  void (*run)(const void* x, void* y, int64_t n);  // y may be x
  size_t input_size;                               // bytes of an element
  size_t output_size;
  Kernel::Fn scalar;  // for a static scalar whose output is preallocated
  // run() for an output that is written around the caches, aligned to a line; null where pieces of run() must do.
  void (*stream)(const void* x, void* y, int64_t n);
};

class UnaryKernel : public Kernel {
 public:
  UnaryKernel(KernelSetup& setup, const UnaryLoop& loop);
  Status Compute(OpContext& ctx);
  bool IsExpensive() const override;

 private:
  static Status RunPreallocated(Kernel* kernel, OpContext& ctx);
  void Run(const void* x, void* y, int64_t n, ThreadPool& pool) const;

  const UnaryLoop& loop_;
  int64_t count_ = -1;  // elements, where they are known
};

template <class F, class T>
struct UnaryOf {
  using C = ComputeType<T>;
  using Result = ElementResult<F, T, C>;
  static constexpr bool kHasRareArguments = requires(C c) { F::IsRare(c); };
  static constexpr bool kHasLine = std::is_same_v<T, float> && requires(const float* x, float* y) { F::Line(x, y); };
  static constexpr int64_t kChunk = 1024;

  static void Run(const void* x_data, void* y_data, int64_t n) {
    const T* x = static_cast<const T*>(x_data);
    Result* y = static_cast<Result*>(y_data);
    if constexpr (kHasLine) {
      int64_t i = 0;
      for (; i + kLineFloats <= n; i += kLineFloats) F::Line(x + i, y + i);
      if (i < n) RunRest(x + i, y + i, n - i);
    } else if constexpr (kHasRareArguments) {
      for (int64_t i = 0; i < n; i += kChunk) RunChunk(x + i, y + i, std::min(kChunk, n - i));
    } else {
      DF_INDEPENDENT_ITERATIONS
      for (int64_t i = 0; i < n; ++i) y[i] = static_cast<Result>(F()(static_cast<C>(x[i])));
    }
  }
  // Less than a line of a function of lines.
  static void RunRest(const float* x, float* y, int64_t n) {
    float line[kLineFloats] = {};
    std::copy_n(x, n, line);
    F::Line(line, line);
    std::copy_n(line, n, y);
  }
  static bool HasRare(const T* x, int64_t n) {
    int rare = 0;
    for (int64_t i = 0; i < n; ++i) rare |= static_cast<int>(F::IsRare(static_cast<C>(x[i])));
    return rare != 0;
  }
  // The common part alone where no argument is rare, and then the loop vectorises. An element's result is the same
  // either way.
  static void RunChunk(const T* x, Result* y, int64_t n) {
    if (HasRare(x, n)) {
      for (int64_t i = 0; i < n; ++i) y[i] = static_cast<Result>(F()(static_cast<C>(x[i])));
    } else {
      DF_INDEPENDENT_ITERATIONS
      for (int64_t i = 0; i < n; ++i) y[i] = static_cast<Result>(F::Common(static_cast<C>(x[i])));
    }
  }
  // Elements go from registers to memory, so that computing and writing overlap, a line at a time: four lines in a row
  // wait for each other (0.85 of the speed of one by one).
  template <class G>
  static void StreamTiles(G g, const T* x, Result* y, int64_t n) {
    constexpr int64_t kTile = 64 / sizeof(Result);
    constexpr int64_t kAhead = 1024;  // a page: measured
    int64_t i = 0;
    for (; i + kTile <= n; i += kTile) {
      alignas(64) Result tile[kTile];
      PrefetchLines(x + i + kAhead, kTile * sizeof(T));
      if constexpr (kHasLine) {
        F::Line(x + i, tile);
      } else {
#pragma GCC unroll 1  // or it is unrolled before it is vectorised, and choices then find no vectors
        for (int64_t l = 0; l < kTile; ++l) tile[l] = g(x[i + l]);
      }
      StreamLine(y + i, tile);
    }
    if (i < n) Run(x + i, y + i, n - i);
  }
  static void Stream(const void* x_data, void* y_data, int64_t n) {
    const T* x = static_cast<const T*>(x_data);
    Result* y = static_cast<Result*>(y_data);
    const auto any = [](T v) { return static_cast<Result>(F()(static_cast<C>(v))); };
    if constexpr (kHasRareArguments) {
      const auto common = [](T v) { return static_cast<Result>(F::Common(static_cast<C>(v))); };
      for (int64_t i = 0; i < n; i += kChunk) {
        const int64_t count = std::min(kChunk, n - i);
        HasRare(x + i, count) ? StreamTiles(any, x + i, y + i, count) : StreamTiles(common, x + i, y + i, count);
      }
    } else {
      StreamTiles(any, x, y, n);
    }
    StreamFence();
  }
  static Status RunScalar(Kernel*, OpContext& ctx) {
    if constexpr (kHasLine) {
      RunRest(ctx.input_data<T>(0), ctx.preallocated_output<Result>(0), 1);
    } else {
      *ctx.preallocated_output<Result>(0) = static_cast<Result>(F()(static_cast<C>(*ctx.input_data<T>(0))));
    }
    return Status();
  }
  static constexpr UnaryLoop MakeLoop() {
    UnaryLoop loop = {&Run, sizeof(T), sizeof(Result), &RunScalar, nullptr};
    if constexpr (std::is_same_v<T, float> && sizeof(Result) == 4) loop.stream = &Stream;
    return loop;
  }
  static constexpr UnaryLoop kLoop = MakeLoop();
};

template <class F>
struct Unary {
  template <class T>
  struct Kernel : UnaryKernel {
    explicit Kernel(KernelSetup& setup) : UnaryKernel(setup, UnaryOf<F, T>::kLoop) {}
  };
};

}  // namespace dfrun::cpu

#endif  // DFRUN_KERNELS_MATH_ELEMENTWISE_UNARY_H_
