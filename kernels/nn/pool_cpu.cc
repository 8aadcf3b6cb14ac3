#include "kernels/nn/pool_loops.h"
#include "src/framework/kernel.h"

namespace dfrun {
namespace {

// Reads the attrs, and gives each thread some images.
class PoolKernel : public Kernel {
 public:
  explicit PoolKernel(KernelSetup& setup) {
    Result<WindowAttrs> window = WindowAttrs::Read(setup.attrs());
    if (window.ok()) {
      window_ = *std::move(window);
    } else {
      setup.Fail(window.status());
    }
  }
  bool IsExpensive() const override { return true; }

 protected:
  Result<PoolShape> ShapeOf(const Shape& input) const { return PoolShape::Of(window_, input); }

  // Images at once: about 20 us of comparisons or additions.
  static int64_t ImagesInBlock(const PoolShape& s) {
    const double work = static_cast<double>(s.output_image()) * static_cast<double>(s.height.size * s.width.size);
    return 1 + static_cast<int64_t>(65536 / (work + 1));
  }
  static void ForImages(const PoolShape& s, ThreadPool& pool, FunctionRef<void(int64_t image)> body) {
    pool.ParallelFor(s.images, ImagesInBlock(s), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) body(i);
    });
  }

 private:
  WindowAttrs window_;
};

template <class T, void (*kImage)(const PoolShape&, const T*, T*)>
class ForwardPool final : public PoolKernel {
 public:
  using PoolKernel::PoolKernel;

  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const PoolShape s, ShapeOf(x.shape()));
    Tensor* y = nullptr;
    DF_TRY(ctx.AllocateOutput(0, s.output, &y));
    ForImages(s, ctx.pool(),
              [&](int64_t i) { kImage(s, x.data<T>() + i * s.input_image(), y->data<T>() + i * s.output_image()); });
    return Status();
  }
};

// MaxPoolGrad, and MaxPoolGradGrad, which reads where the former writes.
template <class T, bool kBack>
class MaxPoolGradKernel final : public PoolKernel {
 public:
  using PoolKernel::PoolKernel;

  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    const Tensor& y = ctx.input(1);
    const Tensor& grad = ctx.input(2);
    DF_ASSIGN(const PoolShape s, ShapeOf(x.shape()));
    if (!(y.shape() == s.output) || !(grad.shape() == (kBack ? x.shape() : s.output))) {
      return InvalidArgument(ctx.node().op->name, ": pooling ", x.shape(), " gives ", s.output, ", but orig_output is ",
                             y.shape(), " and grad ", grad.shape());
    }
    Tensor* result = nullptr;
    DF_TRY(ctx.AllocateOutput(0, kBack ? s.output : x.shape(), &result));
    ForImages(s, ctx.pool(), [&](int64_t i) {
      const int64_t in = i * s.input_image();
      const int64_t out = i * s.output_image();
      Image(s, x.data<T>() + in, y.data<T>() + out, grad.data<T>() + (kBack ? in : out),
            result->data<T>() + (kBack ? out : in));
    });
    return Status();
  }

 private:
  static void Image(const PoolShape& s, const T* x, const T* y, const T* grad, T* result) {
    std::fill_n(result, kBack ? s.output_image() : s.input_image(), T(0.0F));
    pooling::PickLargest(s, x, y, [=](int64_t in, int64_t out, bool hit) {
      if constexpr (kBack) {
        result[out] = hit ? grad[in] : result[out];
      } else {
        const T share = hit ? grad[out] : T(0.0F);
        result[in] = static_cast<T>(result[in] + share);
      }
    });
  }
};

template <class T>
class AvgPoolGradKernel final : public PoolKernel {
 public:
  using PoolKernel::PoolKernel;

  Status Compute(OpContext& ctx) {
    const Tensor& sizes = ctx.input(0);
    const Tensor& dy = ctx.input(1);
    if (sizes.shape().rank() != 1) return InvalidArgument("orig_input_shape must be a vector, but is ", sizes.shape());
    const std::vector<int64_t> dims(sizes.data<int32_t>(), sizes.data<int32_t>() + sizes.num_elements());
    DF_ASSIGN(const Shape input, Shape::Create(dims));
    DF_ASSIGN(const PoolShape s, ShapeOf(input));
    if (!(dy.shape() == s.output)) {
      return InvalidArgument("AvgPoolGrad: pooling ", input, " gives ", s.output, ", but grad is ", dy.shape());
    }
    Tensor* dx = nullptr;
    DF_TRY(ctx.AllocateOutput(0, input, &dx));
    ForImages(s, ctx.pool(),
              [&](int64_t i) { Image(s, dy.data<T>() + i * s.output_image(), dx->data<T>() + i * s.input_image()); });
    return Status();
  }

 private:
  static void Image(const PoolShape& s, const T* dy, T* dx) {
    using C = ComputeType<T>;
    if constexpr (std::is_same_v<C, T>) {
      std::fill_n(dx, s.input_image(), T(0));
      pooling::AverageImageGradient(s, dy, dx);
    } else {
      std::vector<C> wide(static_cast<size_t>(s.input_image()));
      pooling::AverageImageGradient(s, dy, wide.data());
      std::transform(wide.begin(), wide.end(), dx, [](C value) { return static_cast<T>(value); });
    }
  }
};

struct MaxPool {
  template <class T>
  using Kernel = ForwardPool<T, &pooling::MaxImage<T>>;
};
struct MaxPoolGrad {
  template <class T>
  using Kernel = MaxPoolGradKernel<T, false>;
};
struct MaxPoolGradGrad {
  template <class T>
  using Kernel = MaxPoolGradKernel<T, true>;
};
struct AvgPool {
  template <class T>
  using Kernel = ForwardPool<T, &pooling::AverageImage<T>>;
};
struct AvgPoolGrad {
  template <class T>
  using Kernel = AvgPoolGradKernel<T>;
};

CPU_KERNEL("MaxPool", MaxPool, bfloat16, float16, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t);
CPU_KERNEL("MaxPoolGrad", MaxPoolGrad, bfloat16, float16, float, double, int8_t, int16_t, int32_t, int64_t, uint8_t,
           uint16_t, uint32_t, uint64_t);
CPU_KERNEL("MaxPoolGradGrad", MaxPoolGradGrad, bfloat16, float16, float, double, int8_t, int16_t, int32_t, int64_t,
           uint8_t, uint16_t, uint32_t, uint64_t);
CPU_KERNEL("AvgPool", AvgPool, bfloat16, float16, float, double);
CPU_KERNEL("AvgPoolGrad", AvgPoolGrad, bfloat16, float16, float, double);

}  // namespace
}  // namespace dfrun
