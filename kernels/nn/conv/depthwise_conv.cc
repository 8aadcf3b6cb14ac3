#include "kernels/nn/conv/depthwise_conv.h"

#include "kernels/nn/conv/conv_windows.h"
#include "kernels/nn/conv/image_blocks.h"

namespace dfrun {
namespace {

template <class T>
class DepthwiseConv final : public Conv<T> {
 public:
  DepthwiseConv(ConvKind kind, const ConvShape& shape) : kind_(kind), s_(shape), multiplier_(shape.group_outputs()) {}

  Status Run(const T* a, const T* b, T* result, ThreadPool& pool, Allocator& allocator) const override {
    if (kind_ == ConvKind::kBackpropFilter) {
      const auto block = [&](int64_t first, int64_t count, T* partial) {
        std::fill_n(partial, s_.filter_size(), T(0));
        for (int64_t i = first; i < first + count; ++i) Filter(a + In(i), b + Out(i), partial);
        return Status();
      };
      return SumOverImageBlocks<T>(s_, s_.filter_size(), result, pool, allocator, block);
    }
    return ForImageBlocks(s_, pool, [&](int64_t first, int64_t count) {
      for (int64_t i = first; i < first + count; ++i) {
        if (kind_ == ConvKind::kForward) {
          Forward(a + In(i), b, result + Out(i));
        } else {
          Input(a + Out(i), b, result + In(i));
        }
      }
      return Status();
    });
  }

 private:
  int64_t In(int64_t image) const { return image * s_.input_image(); }
  int64_t Out(int64_t image) const { return image * s_.output_image(); }

  // Calls product(input channel, output channel) for every pair that belongs together.
  template <class Product>
  void ForChannels(Product&& product) const {
    if (multiplier_ == 1) {
      DF_INDEPENDENT_ITERATIONS
      for (int64_t c = 0; c < s_.in_channels; ++c) product(c, c);
    } else {
      for (int64_t c = 0; c < s_.in_channels; ++c) {
        for (int64_t j = 0; j < multiplier_; ++j) product(c, c * multiplier_ + j);
      }
    }
  }

  // Calls at(offset of an input pixel, of an output pixel, of a tap) for every product of an image.
  template <class At>
  void ForProducts(At&& at) const {
    int64_t out = 0;
    ForOutputPixels(s_, [&](int64_t od, int64_t oh, int64_t ow) {
      ForWindow(s_, od, oh, ow, [&](int64_t pixel, int64_t tap, int64_t count) {
        for (int64_t i = 0; i < count; ++i) {
          at((pixel + i) * s_.in_channels, out, (tap + i) * s_.out_channels);
        }
      });
      out += s_.out_channels;
    });
  }

  void Forward(const T* x, const T* filter, T* y) const {
    std::fill_n(y, s_.output_image(), T(0));
    ForProducts([&](int64_t in, int64_t out, int64_t tap) {
      ForChannels([xs = x + in, ys = y + out, taps = filter + tap](int64_t c, int64_t o) { ys[o] += xs[c] * taps[o]; });
    });
  }
  void Input(const T* dy, const T* filter, T* dx) const {
    std::fill_n(dx, s_.input_image(), T(0));
    ForProducts([&](int64_t in, int64_t out, int64_t tap) {
      ForChannels(
          [xs = dx + in, ys = dy + out, taps = filter + tap](int64_t c, int64_t o) { xs[c] += ys[o] * taps[o]; });
    });
  }
  void Filter(const T* x, const T* dy, T* sum) const {
    ForProducts([&](int64_t in, int64_t out, int64_t tap) {
      ForChannels([xs = x + in, ys = dy + out, taps = sum + tap](int64_t c, int64_t o) { taps[o] += xs[c] * ys[o]; });
    });
  }

  const ConvKind kind_;
  const ConvShape s_;
  const int64_t multiplier_;  // output channels an input channel
};

}  // namespace

template <class T>
std::shared_ptr<const Conv<T>> MakeDepthwiseConv(ConvKind kind, const ConvShape& shape) {
  if (shape.groups != shape.in_channels || shape.groups == 1 || shape.format.channels_first) return nullptr;
  return std::make_shared<DepthwiseConv<T>>(kind, shape);
}

template std::shared_ptr<const Conv<float>> MakeDepthwiseConv(ConvKind, const ConvShape&);
template std::shared_ptr<const Conv<double>> MakeDepthwiseConv(ConvKind, const ConvShape&);

}  // namespace dfrun
