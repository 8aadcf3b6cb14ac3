// The engine of reductions: CPU_KERNEL("Sum", cpu::Reduction<red::Sum>, float, int32_t).
//
// An op's kernel is its loops over contiguous elements (reduce_loops.h); planning, splitting and merging are
// ReductionKernel's, which is compiled once. Work is split at bounds that depend on the shape alone and partial results
// are merged in the order of the elements, so the result is the same on any number of threads.
#ifndef DFRUN_KERNELS_MATH_REDUCE_REDUCTION_H_
#define DFRUN_KERNELS_MATH_REDUCE_REDUCTION_H_

#include <cstddef>

#include "kernels/math/functions/element.h"
#include "kernels/math/reduce/reduction_plan.h"
#include "src/framework/kernel/kernel.h"

namespace dfrun::cpu {

// Accumulators are plain data of `accumulator_size` bytes.
struct ReducerLoops {
  size_t input_size;
  size_t accumulator_size;
  void (*start)(void* accumulators, int64_t n);
  // Folds x[0..n) into one accumulator, pairwise.
  void (*reduce_run)(const void* x, int64_t n, void* accumulator);
  // Folds each of `rows` short rows of n elements, one after the other in memory, into an accumulator of its own.
  void (*reduce_short_rows)(const void* x, int64_t rows, int64_t n, void* accumulators);
  // Folds row after row, `stride` elements apart, into the accumulators: x[r * stride + j] into accumulators[j].
  void (*reduce_rows)(const void* x, int64_t rows, int64_t stride, int64_t n, void* accumulators);
  // Folds partials[j] into accumulators[j].
  void (*merge)(const void* partials, int64_t n, void* accumulators);
};

struct ReductionLoops : ReducerLoops {
  size_t output_size;
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

// The loops of a reducer (reducers.h) for elements of type T.
template <class R, class T>
const ReductionLoops& LoopsOf() {
  static const ReductionLoops loops = {
      R::Reduces(DTypeOf<T>), sizeof(T), [](const void* accumulators, int64_t n, int64_t reduced, void* outputs) {
        const auto* a = static_cast<const typename R::template Accumulator<T>*>(accumulators);
        T* y = static_cast<T*>(outputs);
        for (int64_t j = 0; j < n; ++j) y[j] = R::template Finish<T>(a[j], reduced);
      }};
  return loops;
}

// The kernels of an engine whose constructor takes the loops of reducer R.
template <class Engine, class R>
struct FoldingWith {
  template <class T>
  struct Kernel : Engine {
    explicit Kernel(KernelSetup& setup) : Engine(setup, LoopsOf<R, T>()) {}
  };
};

template <class R>
using Reduction = FoldingWith<ReductionKernel, R>;

}  // namespace dfrun::cpu

#endif  // DFRUN_KERNELS_MATH_REDUCE_REDUCTION_H_
