#include "kernels/signal/direct_fourier_cuda.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "kernels/math/elementwise/unary_cuda.h"
#include "kernels/math/functions/complex_cuda.h"

namespace dfrun::cuda {
namespace {

using Wide = Complex<double>;

// roots[j] = exp(+-2 pi i j / n).
DF_DEVICE_KERNEL void FindRoots(int64_t n, bool inverse, Wide* roots) {
  constexpr double kPi = 3.14159265358979323846;
  const int64_t j = GlobalThreadId();
  if (j >= n) return;
  const double angle = 2 * kPi * static_cast<double>(j) / static_cast<double>(n);
  roots[j] = Wide(std::cos(angle), inverse ? std::sin(angle) : -std::sin(angle));
}

// The lines of [outer, n, inner] points along the dimension in the middle, of which one side may be half a spectrum.
struct GpuLines {
  int64_t outer;
  int64_t n;
  int64_t inner;
  int64_t from;  // numbers of a line
  int64_t to;
};

// A number of the result by a thread. From, To: real or complex numbers.
template <class From, class To>
DF_DEVICE_KERNEL void TransformLines(GpuLines lines, const From* x, const Wide* roots, To* y) {
  const int64_t thread = GlobalThreadId();
  if (thread >= lines.outer * lines.to * lines.inner) return;
  const int64_t column = thread % lines.inner;
  const int64_t k = thread / lines.inner % lines.to;
  const From* const line = x + thread / lines.inner / lines.to * lines.from * lines.inner + column;
  Wide sum(0, 0);
  int64_t root = 0;
  for (int64_t j = 0; j < lines.from; ++j) {
    // A frequency of half a spectrum stands for its conjugate too, but where it is its own.
    const bool is_pair = !kIsComplex<To> && j != 0 && 2 * j != lines.n;
    sum += (is_pair ? 2.0 : 1.0) * (Wide(line[j * lines.inner]) * roots[root]);
    root += k;
    if (root >= lines.n) root -= lines.n;
  }
  if constexpr (kIsComplex<To>) {
    y[thread] = To(sum);
  } else {
    y[thread] = static_cast<To>(sum.real());
  }
}

template <class From, class To>
Status LaunchLines(OpContext& ctx, GpuLines lines, bool inverse, const void* x, void* y) {
  DF_ASSIGN(Tensor roots, ctx.AllocateTemp(DType::kComplex128, Shape({lines.n})));
  auto* const w = static_cast<Wide*>(roots.raw());
  DF_TRY(Launch(ctx, lines.n, &FindRoots, lines.n, inverse, w));
  return Launch(ctx, lines.outer * lines.to * lines.inner, &TransformLines<From, To>, lines,
                static_cast<const From*>(x), w, static_cast<To*>(y));
}

template <class T>
Status LaunchLast(OpContext& ctx, const FourierTask& task, const void* x, void* y) {
  using Z = Complex<T>;
  const int64_t n = task.last();
  const int64_t half = task.frequencies();
  const int64_t outer = task.batch * task.points() / n;
  switch (task.op.kind) {
    case FourierKind::kFromReal:
      return LaunchLines<T, Z>(ctx, {outer, n, 1, n, half}, false, x, y);
    case FourierKind::kToReal:
      return LaunchLines<Z, T>(ctx, {outer, n, 1, half, n}, true, x, y);
    case FourierKind::kComplex:
      break;
  }
  return LaunchLines<Z, Z>(ctx, {outer, n, 1, n, n}, task.op.inverse, x, y);
}

// Dimension d, which is not the last.
template <class T>
Status LaunchOuter(OpContext& ctx, const FourierTask& task, int d, const void* x, void* y) {
  const int64_t n = task.sizes[static_cast<size_t>(d)];
  int64_t inner = task.frequencies();
  for (int e = d + 1; e < task.op.rank - 1; ++e) inner *= task.sizes[static_cast<size_t>(e)];
  const int64_t outer = task.batch * task.spectrum() / (n * inner);
  return LaunchLines<Complex<T>, Complex<T>>(ctx, {outer, n, inner, n, n}, task.op.inverse, x, y);
}

template <class T>
struct ScaleBy {
  T factor;
  DF_HOST_DEVICE T operator()(T number) const { return number * factor; }
};

}  // namespace

template <class T>
Status DirectFourier(OpContext& ctx, const FourierTask& task, const void* x, void* y) {
  std::vector<int> dims;  // in the order in which they are transformed: real numbers come first or last
  for (int d = task.op.rank - 1; d >= 0; --d) dims.push_back(d);
  if (task.op.kind == FourierKind::kToReal) std::rotate(dims.begin(), dims.begin() + 1, dims.end());
  std::vector<Tensor> between;
  const void* from = x;
  for (const int d : dims) {
    void* to = y;
    if (d != dims.back()) {
      DF_ASSIGN(Tensor memory, ctx.AllocateTemp(DTypeOf<std::complex<T>>, Shape({task.batch * task.spectrum()})));
      to = memory.raw();
      between.push_back(std::move(memory));
    }
    DF_TRY(d == task.op.rank - 1 ? LaunchLast<T>(ctx, task, from, to) : LaunchOuter<T>(ctx, task, d, from, to));
    from = to;
  }
  return Status();
}

template <class T>
Status ScaleNumbers(OpContext& ctx, T* numbers, int64_t count, T factor) {
  return LaunchMap(ctx, numbers, numbers, count, ScaleBy<T>{factor});
}

template Status DirectFourier<float>(OpContext& ctx, const FourierTask& task, const void* x, void* y);
template Status DirectFourier<double>(OpContext& ctx, const FourierTask& task, const void* x, void* y);
template Status ScaleNumbers(OpContext& ctx, float* numbers, int64_t count, float factor);
template Status ScaleNumbers(OpContext& ctx, double* numbers, int64_t count, double factor);

}  // namespace dfrun::cuda
