// The gradients of a filter and of a bias, of which that of the output is made for some images at a time: it is read
// while it is in the cache, and is never whole in memory. Bits as those of the ops one by one.
#include <algorithm>
#include <utility>
#include <vector>

#include "kernels/array/int_values.h"
#include "kernels/device/shape_cache.h"
#include "kernels/nn/bias_sums.h"
#include "kernels/nn/conv.h"
#include "kernels/nn/max_pool_grad.h"
#include "kernels/nn/pool_tile.h"
#include "kernels/nn/window_setup.h"
#include "src/framework/kernel.h"

namespace dfrun {
namespace {

// The sums by channel of tensors whose rows come in any order, but in whole blocks of those that BiasAddGrad adds up.
class BiasBlocks {
 public:
  BiasBlocks(int64_t rows, int64_t channels)
      : rows_(channels::RowsInBlock(channels)),
        channels_(channels),
        sums_(static_cast<size_t>(CeilDiv(rows, rows_) * channels)) {}

  // Rows [first, first + count), which begin and end with blocks.
  void Add(int64_t first, int64_t count, const float* x) {
    for (int64_t at = 0; at < count; at += rows_, x += rows_ * channels_) {
      channels::AddRows(
          rows_, channels_, [this, x](int64_t r, int64_t c) { return x[r * channels_ + c]; },
          sums_.data() + (first + at) / rows_ * channels_, [](int64_t) {});
    }
  }
  void Finish(float* sums) const {
    std::vector<double> wide(static_cast<size_t>(channels_));
    channels::AddBlocks(sums_, channels_, wide.data());
    std::transform(wide.begin(), wide.end(), sums, [](double sum) { return static_cast<float>(sum); });
  }

 private:
  const int64_t rows_;
  const int64_t channels_;
  std::vector<double> sums_;  // block by block
};

// Where the gradient of the convolution's output comes from: Begin() of a step gives an object whose Image(i, to)
// writes that of one image, by any thread. InvalidArgument where the inputs from 2 on do not fit the output's shape.
//
// orig_input, orig_output and grad of pooling.
class FromImages {
 public:
  struct Run {
    PoolShape pool;
    const float* y;
    const float* pooled;
    const float* grad;
    void Image(int64_t i, float* to) const {
      const int64_t out = i * pool.output_image();
      ToFirstLargest<true>::Image(pool, y + i * pool.input_image(), pooled + out, grad + out, to);
    }
  };

  explicit FromImages(KernelSetup& setup) : window_(TakeWindows(setup, PoolWindowsOf(setup.attrs()))) {}
  Result<Run> Begin(const OpContext& ctx, const Shape& conv_output) const {
    const Shape& y = ctx.input(2).shape();
    const Shape& grad = ctx.input(4).shape();
    DF_TRY(window_.RefuseChannelWindows());
    DF_ASSIGN(PoolShape pool, PoolShape::Of(window_, y));
    if (!(y == conv_output) || !(grad == pool.output) || !(ctx.input(3).shape() == pool.output)) {
      return InvalidArgument("the convolution gives ", conv_output, " and its pooling ", pool.output,
                             ", but orig_input is ", y, ", orig_output ", ctx.input(3).shape(), " and grad ", grad);
    }
    return Run{std::move(pool), ctx.input(2).data<float>(), ctx.input(3).data<float>(), ctx.input(4).data<float>()};
  }

 private:
  const WindowAttrs window_;
};

// The places of what was largest, and grad.
class FromPlaces {
 public:
  struct Run {
    PoolShape pool;
    const pooling::Place* places;
    const float* grad;
    void Image(int64_t i, float* to) const {
      const int64_t out = i * pool.output_image();
      pooling::GradientAtPlaces(pool, places + out, grad + out, to);
    }
  };

  explicit FromPlaces(KernelSetup& setup) : tile_(setup, "pool_ksize") {}
  Result<Run> Begin(const OpContext& ctx, const Shape& conv_output) const {
    DF_ASSIGN(PoolShape pool, tile_.PoolOf(ctx.input(2), ctx.input(3)));
    const bool fits = pool.height.input == conv_output[1] && pool.width.input == conv_output[2] &&
                      pool.images == conv_output[0] && pool.channels == conv_output[3];
    if (fits) return Run{std::move(pool), ctx.input(2).data<uint8_t>(), ctx.input(3).data<float>()};
    return InvalidArgument("the convolution gives ", conv_output, ", but the places are ", ctx.input(2).shape(),
                           " in windows of ", pool.height.size, " x ", pool.width.size);
  }

 private:
  const PoolTile tile_;
};

template <class Source>
class ConvPoolGradKernel final : public Kernel {
 public:
  explicit ConvPoolGradKernel(KernelSetup& setup)
      : source_(setup), window_(TakeWindows(setup, WindowAttrs::Read(setup.attrs()))) {}
  bool IsExpensive() const override { return true; }

  Status Compute(OpContext& ctx) {
    const Tensor& x = ctx.input(0);
    DF_ASSIGN(const Shape filter, ShapeValue(ctx.input(1), "the sizes of a filter"));
    DF_ASSIGN(const ConvShape shape, ConvShape::Of(window_, x.shape(), filter));
    DF_ASSIGN(const typename Source::Run source, source_.Begin(ctx, shape.output()));
    Tensor* filter_gradient = nullptr;
    Tensor* bias_gradient = nullptr;
    DF_TRY(ctx.AllocateOutput(0, filter, &filter_gradient));
    DF_TRY(ctx.AllocateOutput(1, Shape({shape.out_channels}), &bias_gradient));
    if (x.num_elements() == 0 || shape.images * shape.output_image() == 0) {
      std::fill_n(filter_gradient->data<float>(), filter_gradient->num_elements(), 0.0F);
      std::fill_n(bias_gradient->data<float>(), bias_gradient->num_elements(), 0.0F);
      return Status();
    }
    DF_ASSIGN(const std::shared_ptr<const Conv<float>> conv,
              plans_.Get(shape, [&] { return Conv<float>::Create(ConvKind::kBackpropFilter, shape); }));
    return Run(ctx, shape, source, *conv, filter_gradient->data<float>(), bias_gradient->data<float>());
  }

 private:
  static Status Run(OpContext& ctx, const ConvShape& shape, const typename Source::Run& source, const Conv<float>& conv,
                    float* filter_gradient, float* bias_gradient) {
    const auto make = [&](int64_t first, int64_t count, float* to) {
      for (int64_t i = first; i < first + count; ++i, to += shape.output_image()) source.Image(i, to);
    };
    const int64_t pixels = shape.out_pixels();
    const float* const x = ctx.input(0).data<float>();
    if (pixels % channels::RowsInBlock(shape.out_channels) == 0) {
      BiasBlocks bias(shape.images * pixels, shape.out_channels);
      const auto make_and_add = [&](int64_t first, int64_t count, float* to) {
        make(first, count, to);
        bias.Add(first * pixels, count * pixels, to);
      };
      DF_TRY(conv.RunOnMade(x, make_and_add, shape.images, shape.output_image(), filter_gradient, ctx.pool(),
                            ctx.allocator()));
      bias.Finish(bias_gradient);
      return Status();
    }
    // Blocks of rows that reach from one image into the next.
    DF_ASSIGN(Tensor whole, ctx.AllocateTemp(DType::kFloat, shape.output()));
    ctx.pool().ParallelFor(shape.images, 1, [&](int64_t begin, int64_t end) {
      make(begin, end - begin, whole.data<float>() + begin * shape.output_image());
    });
    DF_ASSIGN(const ChannelLayout layout, ChannelLayout::Of(whole.shape(), /*channels_first=*/false));
    SumBias(layout, whole.data<float>(), ctx.pool(), bias_gradient);
    return conv.Run(x, whole.data<float>(), filter_gradient, ctx.pool(), ctx.allocator());
  }

  const Source source_;
  const WindowAttrs window_;
  ShapeCache<ConvShape, Conv<float>> plans_;
};

CPU_KERNEL_ANY("_ConvBiasReluMaxPoolGrad", ConvPoolGradKernel<FromImages>);
CPU_KERNEL_ANY("_ConvBiasMaxPoolGradAtPlaces", ConvPoolGradKernel<FromPlaces>);

}  // namespace
}  // namespace dfrun
