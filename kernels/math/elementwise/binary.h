// The CPU's engine of element-wise ops with two inputs that broadcast: CPU_KERNEL("Mul", cpu::Binary<fn::Mul>, float).
//
// An op's kernel is three loops (both operands walk, or one is a single element); broadcasting, allocation, forwarding,
// splitting over the pool and the choice of a shorter way for static shapes are BinaryKernel's, which is compiled once.
#ifndef DFRUN_KERNELS_MATH_ELEMENTWISE_BINARY_H_
#define DFRUN_KERNELS_MATH_ELEMENTWISE_BINARY_H_

#include <cstddef>

#include "kernels/math/elementwise/broadcast.h"
#include "kernels/math/functions/element.h"
#include "kernels/math/functions/step_rounded.h"
#include "src/base/stream_store.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun::cpu {

struct BinaryLoops {
  using Run = void (*)(const void* x, const void* y, void* z, int64_t n);  // z may be x or y
  Run both;                                                                // x[i], y[i]
  Run x_repeat;                                                            // x[0], y[i]
  Run y_repeat;                                                            // x[i], y[0]
  size_t input_size;
  size_t output_size;
  bool streams;       // outputs are plain bytes, which may be written around the caches
  Kernel::Fn scalar;  // for static scalars whose output is preallocated; null where the op may refuse a value
  // The text for an operand that the op refuses (division by zero); null if all are fine.
  const char* (*refuse)(const void* y, int64_t n);
  // A variant of `both` that writes an output, aligned to a line, around the caches. Null: the output is streamed piece
  // by piece.
  Run stream_both;
};

class BinaryKernel : public Kernel {
 public:
  // `broadcasts`: false if Compute() is only called on operands of one shape.
  BinaryKernel(KernelSetup& setup, const BinaryLoops& loops, bool broadcasts = true);
  Status Compute(OpContext& ctx);
  bool IsExpensive() const override { return expensive_; }

 private:
  static Status RunSameShape(Kernel* kernel, OpContext& ctx);
  static Status RunPreallocated(Kernel* kernel, OpContext& ctx);
  void ChoosePreallocated(KernelSetup& setup, bool broadcasts);
  void Run(const BroadcastPlan& plan, const void* x, const void* y, void* z, ThreadPool& pool) const;
  void RunRange(const BroadcastPlan& plan, const void* x, const void* y, void* z, int64_t begin, int64_t end,
                bool streams) const;

  const BinaryLoops& loops_;
  BroadcastPlan plan_;  // set where the shapes are static
  bool expensive_ = false;
};

template <class F, class T>
struct BinaryOf {
  using C = typename BinaryComputeTypeOf<F, T>::type;
  using Made = std::invoke_result_t<F, C, C>;
  using Result = std::conditional_t<std::is_same_v<Made, C>, T, Made>;

  static decltype(auto) Lift(const T& x) {
    if constexpr (std::is_same_v<T, C>) {
      return (x);  // the element itself: it may be a string
    } else {
      return static_cast<C>(x);
    }
  }
  static Result Apply(const T& x, const T& y) { return static_cast<Result>(F()(Lift(x), Lift(y))); }
  static void RunBoth(const void* x_data, const void* y_data, void* z_data, int64_t n) {
    const T* x = static_cast<const T*>(x_data);
    const T* y = static_cast<const T*>(y_data);
    Result* z = static_cast<Result*>(z_data);
    DF_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < n; ++i) z[i] = Apply(x[i], y[i]);
  }
  static void RunXRepeat(const void* x_data, const void* y_data, void* z_data, int64_t n) {
    const T x = *static_cast<const T*>(x_data);
    const T* y = static_cast<const T*>(y_data);
    Result* z = static_cast<Result*>(z_data);
    DF_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < n; ++i) z[i] = Apply(x, y[i]);
  }
  static void RunYRepeat(const void* x_data, const void* y_data, void* z_data, int64_t n) {
    const T* x = static_cast<const T*>(x_data);
    const T y = *static_cast<const T*>(y_data);
    Result* z = static_cast<Result*>(z_data);
    DF_INDEPENDENT_ITERATIONS
    for (int64_t i = 0; i < n; ++i) z[i] = Apply(x[i], y);
  }
  // Elements go from registers to memory: through pieces in the first-level cache sums take 1.1 to 1.5 times as long.
  static void StreamBoth(const void* x_data, const void* y_data, void* z_data, int64_t n) {
    const T* x = static_cast<const T*>(x_data);
    const T* y = static_cast<const T*>(y_data);
    Result* z = static_cast<Result*>(z_data);
    constexpr int64_t kTile = 64 / sizeof(Result);
    constexpr int64_t kAhead = 256;
    int64_t i = 0;
    for (; i + kTile <= n; i += kTile) {
      alignas(64) Result tile[kTile];
      PrefetchLines(x + i + kAhead, kTile * sizeof(T));
      PrefetchLines(y + i + kAhead, kTile * sizeof(T));
#pragma GCC unroll 1  // or it is unrolled before it is vectorised, and choices then find no vectors
      for (int64_t l = 0; l < kTile; ++l) tile[l] = Apply(x[i + l], y[i + l]);
      StreamLine(z + i, tile);
    }
    for (; i < n; ++i) z[i] = Apply(x[i], y[i]);
    StreamFence();
  }
  static Status RunScalar(Kernel*, OpContext& ctx) {
    *ctx.preallocated_output<Result>(0) = Apply(*ctx.input_data<T>(0), *ctx.input_data<T>(1));
    return Status();
  }
  static const char* Refuse(const void* y_data, int64_t n) {
    const T* y = static_cast<const T*>(y_data);
    bool refused = false;
    for (int64_t i = 0; i < n; ++i) refused |= F::Refuses(y[i]);
    return refused ? F::kRefusal : nullptr;
  }
  static constexpr BinaryLoops MakeLoops() {
    BinaryLoops loops = {&RunBoth, &RunXRepeat, &RunYRepeat, sizeof(T), sizeof(Result), IsPlain(DTypeOf<Result>),
                         nullptr,  nullptr,     nullptr};
    if constexpr (std::is_same_v<T, float> && std::is_same_v<Result, float>) loops.stream_both = &StreamBoth;
    if constexpr (requires(T y) { F::Refuses(y); }) {
      loops.refuse = &Refuse;
    } else {
      loops.scalar = &RunScalar;
    }
    return loops;
  }
  static constexpr BinaryLoops kLoops = MakeLoops();
};

template <class F>
struct Binary {
  template <class T>
  struct Kernel : BinaryKernel {
    explicit Kernel(KernelSetup& setup) : BinaryKernel(setup, BinaryOf<F, T>::kLoops) {}
  };
};

}  // namespace dfrun::cpu

#endif  // DFRUN_KERNELS_MATH_ELEMENTWISE_BINARY_H_
