#include <algorithm>
#include <vector>

#include "kernels/array/copy/strided_copy.h"
#include "kernels/array/element_size.h"
#include "kernels/array/move/mirror_pad.h"
#include "kernels/device/cpu_kernel.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// The row of the padded tensor's input that its row `i` mirrors; a row is the last dimension.
int64_t SourceRow(int64_t i, const Shape& inner, const Shape& padded, const std::vector<MirrorBorder>& borders) {
  int64_t row = 0;
  int64_t stride = 1;
  for (int d = inner.rank() - 2; d >= 0; --d) {
    row += borders[d].Source(i % padded.dim(d), inner.dim(d)) * stride;
    i /= padded.dim(d);
    stride *= inner.dim(d);
  }
  return row;
}

class MirrorPadKernel : public MirrorPadBase {
 public:
  using MirrorPadBase::MirrorPadBase;
  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const Plan plan, MakePlan(ctx, MirrorPaddedSize));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, plan.shape, &y));
    if (plan.shape.num_elements() == 0) return Status();
    const int last = plan.shape.rank() - 1;
    const int64_t size = last < 0 ? 1 : x.shape().dim(last);
    const int64_t padded = last < 0 ? 1 : plan.shape.dim(last);
    const MirrorBorder border = last < 0 ? MirrorBorder() : plan.borders[last];
    VisitElement(x.dtype(), [&](auto tag) {
      using E = typename decltype(tag)::type;
      const int64_t rows = plan.shape.num_elements() / padded;
      ctx.pool().ParallelFor(rows, kCopyBlock / std::min(kCopyBlock, padded), [&](int64_t begin, int64_t end) {
        for (int64_t r = begin; r < end; ++r) {
          const E* from = static_cast<const E*>(x.raw()) + SourceRow(r, x.shape(), plan.shape, plan.borders) * size;
          E* to = static_cast<E*>(y->raw()) + r * padded;
          for (int64_t i = 0; i < border.before; ++i) to[i] = from[border.Source(i, size)];
          std::copy_n(from, size, to + border.before);
          for (int64_t i = border.before + size; i < padded; ++i) to[i] = from[border.Source(i, size)];
        }
      });
    });
    return Status();
  }
};

struct MirrorPadGrad {
  template <class T>
  class Kernel : public MirrorPadBase {
   public:
    using Sum = typename MirrorSumOf<T>::type;
    using MirrorPadBase::MirrorPadBase;
    Status Compute(OpContext& ctx) {
      DF_ASSIGN(const Plan plan, MakePlan(ctx, MirrorUnpaddedSize));
      Tensor* dx = nullptr;
      DF_TRY(ctx.AllocateOutput(0, plan.shape, &dx));
      if (plan.shape.num_elements() == 0) return Status();
      const Shape& padded = ctx.input(0).shape();
      const int last = plan.shape.rank() - 1;
      const int64_t size = last < 0 ? 1 : plan.shape.dim(last);
      const int64_t width = last < 0 ? 1 : padded.dim(last);
      const MirrorBorder border = last < 0 ? MirrorBorder() : plan.borders[last];
      const T* dy = ctx.input(0).data<T>();
      ctx.pool().ParallelFor(
          plan.shape.num_elements() / size, kCopyBlock / std::min(kCopyBlock, width), [&](int64_t begin, int64_t end) {
            std::vector<Sum> sums(static_cast<size_t>(size));
            for (int64_t r = begin; r < end; ++r) {
              std::fill(sums.begin(), sums.end(), Sum());
              ForEachMirror(r, plan, padded,
                            [&](int64_t row) { AddRow(dy + row * width, size, width, border, sums.data()); });
              for (int64_t i = 0; i < size; ++i) dx->data<T>()[r * size + i] = static_cast<T>(sums[i]);
            }
          });
      return Status();
    }

   private:
    // Calls f with each row of the padded tensor in which row `r` of the inner one stands.
    template <class F>
    static void ForEachMirror(int64_t r, const Plan& plan, const Shape& padded, const F& f) {
      VisitDim(plan.shape.rank() - 2, r, 0, 1, plan, padded, f);
    }
    template <class F>
    static void VisitDim(int d, int64_t r, int64_t row, int64_t stride, const Plan& plan, const Shape& padded,
                         const F& f) {
      if (d < 0) return f(row);
      const int64_t size = plan.shape.dim(d);
      const int64_t i = r % size;
      int64_t places[MirrorBorder::kMaxPlaces];
      const int count = plan.borders[d].PlacesOf(i, size, places);
      for (int k = 0; k < count; ++k) {
        VisitDim(d - 1, r / size, row + places[k] * stride, stride * padded.dim(d), plan, padded, f);
      }
    }

    static void AddRow(const T* dy, int64_t size, int64_t width, const MirrorBorder& border, Sum* sums) {
      for (int64_t i = 0; i < size; ++i) sums[i] += static_cast<Sum>(dy[border.before + i]);
      for (int64_t i = 0; i < border.before; ++i) sums[border.Source(i, size)] += static_cast<Sum>(dy[i]);
      for (int64_t i = border.before + size; i < width; ++i) sums[border.Source(i, size)] += static_cast<Sum>(dy[i]);
    }
  };
};

CPU_KERNEL_ANY("MirrorPad", MirrorPadKernel);
CPU_KERNEL("MirrorPadGrad", MirrorPadGrad, DF_NUMBERS);

}  // namespace
}  // namespace dfrun
