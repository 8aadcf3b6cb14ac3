#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include "kernels/array/int_values.h"
#include "kernels/device/cpu_kernel.h"
#include "kernels/math/elementwise/elementwise.h"
#include "kernels/math/functions/functors.h"
#include "kernels/math/reduce/axis_loops.h"
#include "src/base/integers.h"
#include "src/framework/op/inference.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// Indices of extremes, for the element type that it was made for.
struct ArgLoops {
  size_t element_size;
  // The extreme of x[0..n).
  int64_t (*row)(const void* x, int64_t n);
  // The best of candidates[0..n), indices into x.
  int64_t (*best)(const void* x, const int64_t* candidates, int64_t n);
  // Writes the index of the extreme of x[r * stride + j] over r in [0, rows), for each j in [0, n), n <= kColumns.
  void (*columns)(const void* x, int64_t rows, int64_t stride, int64_t n, int64_t* indices);
  // Writes the index of the extreme of each of n <= kColumns short rows of `size`, which lie one after the other in
  // memory.
  void (*short_rows)(const void* x, int64_t size, int64_t n, int64_t* indices);
};
constexpr int64_t kColumns = 256;
// Rows up to this length are looked through side by side.
constexpr int64_t kShortRow = 32;

// The value that `Better` prefers least. Elements that are no better than it, NaN among them, are never chosen: where
// there is nothing else the index is 0.
template <class Better, class C>
constexpr C Worst() {
  using Limits = std::numeric_limits<C>;
  return std::is_same_v<Better, fn::Greater> ? Limits::lowest() : Limits::max();
}

template <class Better, class T>
struct ArgOf {
  using C = ComputeType<T>;
  static constexpr int64_t kLanes = 128 / sizeof(C);  // two vectors; with four a row takes 1.25 times as long
  static constexpr int64_t kChunk = 1024;

  static C Choose(C candidate, C best) { return Better()(candidate, best) ? candidate : best; }

  static C BestOfChunk(const T* x, int64_t n) {
    C lanes[kLanes];
    std::fill_n(lanes, kLanes, Worst<Better, C>());
    int64_t i = 0;
    for (; i + kLanes <= n; i += kLanes) {
      for (int64_t l = 0; l < kLanes; ++l) lanes[l] = Choose(static_cast<C>(x[i + l]), lanes[l]);
    }
    for (; i < n; ++i) lanes[0] = Choose(static_cast<C>(x[i]), lanes[0]);
    for (int64_t half = kLanes / 2; half > 0; half /= 2) {
      for (int64_t l = 0; l < half; ++l) lanes[l] = Choose(lanes[l + half], lanes[l]);
    }
    return lanes[0];
  }
  // The index of a value is looked for only in chunks that hold a better one than all before.
  static int64_t Row(const void* data, int64_t n) {
    const T* x = static_cast<const T*>(data);
    C best = Worst<Better, C>();
    int64_t index = 0;
    for (int64_t begin = 0; begin < n; begin += kChunk) {
      const int64_t end = std::min(n, begin + kChunk);
      const C candidate = BestOfChunk(x + begin, end - begin);
      if (!Better()(candidate, best)) continue;
      best = candidate;
      index = begin + IndexOf(x + begin, end - begin, best);
    }
    return index;
  }
  // The first index of a value that is there: the block first, which vectorises.
  static int64_t IndexOf(const T* x, int64_t n, C value) {
    constexpr int64_t kBlock = 64;
    int64_t i = 0;
    for (; i + kBlock <= n; i += kBlock) {
      int found = 0;
      for (int64_t k = 0; k < kBlock; ++k) found |= static_cast<int>(static_cast<C>(x[i + k]) == value);
      if (found != 0) break;
    }
    return std::find_if(x + i, x + n, [&](const T& v) { return static_cast<C>(v) == value; }) - x;
  }
  static int64_t Best(const void* data, const int64_t* candidates, int64_t n) {
    const T* x = static_cast<const T*>(data);
    C best = Worst<Better, C>();
    int64_t index = 0;
    for (int64_t k = 0; k < n; ++k) {
      const C candidate = static_cast<C>(x[candidates[k]]);
      if (!Better()(candidate, best)) continue;
      best = candidate;
      index = candidates[k];
    }
    return index;
  }
  // Writes the index of the extreme of x[r * stride + j * step] for each j. Indices as wide as the elements fill
  // vectors evenly.
  template <class I, class Step>
  static void ColumnsBy(const T* x, int64_t rows, int64_t stride, int64_t n, Step step, int64_t* indices) {
    C best[kColumns];
    I index[kColumns];
    std::fill_n(best, n, Worst<Better, C>());
    std::fill_n(index, n, I(0));
    for (int64_t r = 0; r < rows; ++r, x += stride) {
      DF_INDEPENDENT_ITERATIONS
      for (int64_t j = 0; j < n; ++j) {
        const C candidate = static_cast<C>(x[j * step]);
        const bool better = Better()(candidate, best[j]);
        best[j] = better ? candidate : best[j];
        index[j] = better ? static_cast<I>(r) : index[j];
      }
    }
    std::copy_n(index, n, indices);
  }
  static void Columns(const void* data, int64_t rows, int64_t stride, int64_t n, int64_t* indices) {
    const T* x = static_cast<const T*>(data);
    constexpr std::integral_constant<int64_t, 1> kStep;
    const bool narrow = sizeof(C) <= 4 && rows <= std::numeric_limits<int32_t>::max();
    narrow ? ColumnsBy<int32_t>(x, rows, stride, n, kStep, indices)
           : ColumnsBy<int64_t>(x, rows, stride, n, kStep, indices);
  }
  static void ShortRows(const void* data, int64_t size, int64_t n, int64_t* indices) {
    using I = std::conditional_t<sizeof(C) <= 4, int32_t, int64_t>;
    ColumnsBy<I>(static_cast<const T*>(data), size, 1, n, size, indices);
  }
  static constexpr ArgLoops kLoops = {sizeof(T), &Row, &Best, &Columns, &ShortRows};
};

class ArgKernel : public Kernel {
 public:
  ArgKernel(KernelSetup&, const ArgLoops& loops) : loops_(loops) {}

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
    if (y->num_elements() == 0) return Status();
    if (loops.inner > 1) {
      RunColumns(x, loops, *y, ctx.pool());
    } else if (loops.size > 2 * kElementBlock) {
      return RunLongRows(ctx, x, loops, *y);
    } else {
      RunRows(x, loops, *y, ctx.pool());
    }
    return Status();
  }

 private:
  static void Store(Tensor& y, int64_t first, const int64_t* indices, int64_t n) {
    VisitDType<int16_t, uint16_t, int32_t, int64_t>(y.dtype(), [&](auto tag) {
      using I = typename decltype(tag)::type;
      for (int64_t i = 0; i < n; ++i) y.data<I>()[first + i] = static_cast<I>(indices[i]);
    });
  }
  static void Store(Tensor& y, int64_t i, int64_t index) { Store(y, i, &index, 1); }

  void RunRows(const Tensor& x, const AxisLoops& loops, Tensor& y, ThreadPool& pool) const {
    pool.ParallelFor(loops.outer, std::max<int64_t>(1, kElementBlock / loops.size), [&](int64_t begin, int64_t end) {
      if (loops.size <= kShortRow) return RunShortRows(x, loops.size, begin, end, y);
      for (int64_t i = begin; i < end; ++i)
        Store(y, i, loops_.row(At(x.raw(), i * loops.size, loops_.element_size), loops.size));
    });
  }

  void RunShortRows(const Tensor& x, int64_t size, int64_t begin, int64_t end, Tensor& y) const {
    for (int64_t i = begin; i < end; i += kColumns) {
      const int64_t n = std::min(kColumns, end - i);
      int64_t indices[kColumns];
      loops_.short_rows(At(x.raw(), i * size, loops_.element_size), size, n, indices);
      Store(y, i, indices, n);
    }
  }

  // Each row in pieces, whose bests are then compared.
  Status RunLongRows(OpContext& ctx, const Tensor& x, const AxisLoops& loops, Tensor& y) const {
    const int64_t pieces = CeilDiv(loops.size, kElementBlock);
    DF_ASSIGN(Tensor bests, ctx.AllocateTemp(DType::kInt64, Shape({loops.outer * pieces})));
    ctx.pool().RunBlocks(loops.outer * pieces, [&](int64_t i) {
      const int64_t begin = i % pieces * kElementBlock;
      const void* from = At(x.raw(), i / pieces * loops.size + begin, loops_.element_size);
      bests.data<int64_t>()[i] = begin + loops_.row(from, std::min(kElementBlock, loops.size - begin));
    });
    for (int64_t i = 0; i < loops.outer; ++i) {
      const void* row = At(x.raw(), i * loops.size, loops_.element_size);
      Store(y, i, loops_.best(row, bests.data<int64_t>() + i * pieces, pieces));
    }
    return Status();
  }

  void RunColumns(const Tensor& x, const AxisLoops& loops, Tensor& y, ThreadPool& pool) const {
    const int64_t tiles = CeilDiv(loops.inner, kColumns);
    const int64_t block = std::max<int64_t>(1, kElementBlock / (kColumns * loops.size));
    pool.ParallelFor(loops.outer * tiles, block, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t column = i % tiles * kColumns;
        const int64_t first = i / tiles * loops.size * loops.inner + column;
        const int64_t n = std::min(kColumns, loops.inner - column);
        int64_t indices[kColumns];
        loops_.columns(At(x.raw(), first, loops_.element_size), loops.size, loops.inner, n, indices);
        Store(y, i / tiles * loops.inner + column, indices, n);
      }
    });
  }

  const ArgLoops& loops_;
};

template <class Better>
struct Arg {
  template <class T>
  struct Kernel : ArgKernel {
    explicit Kernel(KernelSetup& setup) : ArgKernel(setup, ArgOf<Better, T>::kLoops) {}
  };
};

CPU_KERNEL("ArgMax", Arg<fn::Greater>, DF_REAL, bool);
CPU_KERNEL("ArgMin", Arg<fn::Less>, DF_REAL, bool);

}  // namespace
}  // namespace dfrun
