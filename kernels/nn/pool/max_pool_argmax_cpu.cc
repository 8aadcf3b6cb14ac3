// Max pooling that outputs the numbers of the largest elements, and its gradient, which takes them.
#include <atomic>

#include "kernels/device/cpu_kernel.h"
#include "kernels/nn/pool/numbered_pool.h"
#include "kernels/nn/pool/pool_loops.h"
#include "src/framework/kernel/kernel_of.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

template <class T>
class ArgmaxPool final : public NumberedPool {
 public:
  using NumberedPool::NumberedPool;

  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    Tensor* y = nullptr;
    Tensor* argmax = nullptr;
    DF_ASSIGN(const PoolShape s, MakeOutputs(ctx, y, argmax));
    VisitDType<int32_t, int64_t>(argmax->dtype(), [&](auto tag) {
      auto* to = argmax->data<typename decltype(tag)::type>();
      ForImages(s, ctx.pool(), [&](int64_t i) {
        const int64_t out = i * s.output_image();
        Image(s, x.data<T>() + i * s.input_image(), i * NumbersOfImage(s), y->data<T>() + out, to + out);
      });
    });
    return Status();
  }

 private:
  // Pools one image. `y` and `argmax` have room for output_image() elements; `first` is the number of the image's first
  // element.
  template <class Index>
  static void Image(const PoolShape& s, const T* x, int64_t first, T* y, Index* argmax) {
    pooling::ForLargest(s, x, [&](const pooling::Window&, int64_t to, const T* largest, const int32_t* index) {
      std::copy_n(largest, s.channels, y + to);
      for (int64_t c = 0; c < s.channels; ++c) {
        argmax[to + c] = static_cast<Index>(first + index[c] * s.channels + c);
      }
    });
  }
};

// input, grad, argmax.
template <class T>
class ArgmaxPoolGrad final : public NumberedPool {
 public:
  using NumberedPool::NumberedPool;

  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    const Tensor& dy = ctx.input(1);
    const Tensor& argmax = ctx.input(2);
    DF_ASSIGN(const PoolShape s, ShapeOfGradient(ctx));
    Tensor* dx = nullptr;
    DF_TRY(ctx.AllocateOutput(0, x.shape(), &dx));
    std::atomic<bool> all_inside = true;
    VisitDType<int32_t, int64_t>(argmax.dtype(), [&](auto tag) {
      const auto* numbers = argmax.data<typename decltype(tag)::type>();
      ForImages(s, ctx.pool(), [&](int64_t i) {
        const int64_t out = i * s.output_image();
        T* to = dx->data<T>() + i * s.input_image();
        if (!Image(s, dy.data<T>() + out, numbers + out, i * NumbersOfImage(s), to)) all_inside = false;
      });
    });
    if (all_inside) return Status();
    return InvalidArgument("MaxPoolGradWithArgmax: argmax names an element outside its image of ", x.shape());
  }

 private:
  // Sets the image's input_image() elements of `dx`; `dy` and `argmax` have output_image(). Returns false where a
  // number is not one of the image's, which begin with `first`: its gradient is left out.
  template <class Index>
  static bool Image(const PoolShape& s, const T* dy, const Index* argmax, int64_t first, T* dx) {
    bool inside = true;
    pooling::RoundedSums<pooling::SumType<T>>(dx, s.input_image(), [&](auto* sums) {
      for (int64_t i = 0; i < s.output_image(); ++i) {
        const auto at = static_cast<uint64_t>(static_cast<int64_t>(argmax[i])) - static_cast<uint64_t>(first);
        if (at < static_cast<uint64_t>(s.input_image())) {
          sums[at] += dy[i];
        } else {
          inside = false;
        }
      }
    });
    return inside;
  }
};

CPU_KERNEL("MaxPoolWithArgmax", KernelOf<ArgmaxPool>, DF_REAL);
CPU_KERNEL("MaxPoolGradWithArgmax", KernelOf<ArgmaxPoolGrad>, DF_REAL);

}  // namespace
}  // namespace dfrun
