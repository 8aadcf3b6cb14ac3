#include "kernels/nn/conv/small_cin_conv.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "kernels/gemm/simd.h"
#include "kernels/nn/conv/image_blocks.h"

namespace dfrun {
namespace {

// Output channels and pixels whose sums are in registers at once: accumulators, a tap's filter and one input.
constexpr int kMaxVectors = 2;
constexpr int MaxPixels(int vectors) {
  return std::min((kVectorRegisters - vectors - 1) / vectors, 14);
}

// The state that the blocks of a convolution share.
struct Taps {
  int64_t rows;
  int64_t columns;
  int64_t row_step;     // elements of the padded image from a tap to the one below
  int64_t column_step;  // and to the one at its right
  int64_t pixel_step;   // from one output pixel's window to the next
  int64_t channels;     // number of the output's channels
};

// `last`: output channels that count in the last vector.
using BlockFn = void (*)(const Taps& taps, const float* image, const float* filter, int last, float* y);

template <int Pixels, int Vectors>
void Block(const Taps& taps, const float* image, const float* filter, int last, float* y) {
  constexpr int kLast = Vectors - 1;
  constexpr int64_t kWidth = kLanes<float>;
  Vec<float> sum[Pixels][Vectors] = {};
  for (int64_t r = 0; r < taps.rows; ++r) {
    const float* x = image + r * taps.row_step;
    for (int64_t c = 0; c < taps.columns; ++c, x += taps.column_step, filter += taps.channels) {
      Vec<float> values[Vectors];
#pragma GCC unroll 4
      for (int j = 0; j < kLast; ++j) values[j] = Load(filter + j * kWidth);
      values[kLast] = LoadFirst(filter + kLast * kWidth, last);
#pragma GCC unroll 16
      for (int i = 0; i < Pixels; ++i) {
        const Vec<float> factor = Broadcast<float>(x[i * taps.pixel_step]);
#pragma GCC unroll 4
        for (int j = 0; j < Vectors; ++j) sum[i][j] = MulAdd<float>(factor, values[j], sum[i][j]);
      }
    }
  }
#pragma GCC unroll 16
  for (int i = 0; i < Pixels; ++i) {
    float* to = y + i * taps.channels;
#pragma GCC unroll 4
    for (int j = 0; j < kLast; ++j) Store<float>(to + j * kWidth, sum[i][j]);
    StoreFirst<float>(to + kLast * kWidth, sum[i][kLast], last);
  }
}

template <int Vectors, int... Pixels>
constexpr std::array<BlockFn, sizeof...(Pixels)> BlocksByPixels(std::integer_sequence<int, Pixels...>) {
  return {&Block<Pixels + 1, Vectors>...};
}
template <int Vectors>
constexpr auto kBlocks = BlocksByPixels<Vectors>(std::make_integer_sequence<int, MaxPixels(Vectors)>());

// Output channels of one row of pixels, as many as `Vectors` vectors hold.
template <int Vectors>
void Row(const Taps& taps, const float* image, const float* filter, int64_t pixels, int last, float* y) {
  constexpr int64_t kPixels = MaxPixels(Vectors);
  int64_t p = 0;
  for (int64_t steps = (pixels + kPixels - 1) / kPixels; steps > 0; --steps) {  // blocks of nearly equal size
    const int64_t count = (pixels - p + steps - 1) / steps;
    kBlocks<Vectors>[static_cast<size_t>(count - 1)](taps, image + p * taps.pixel_step, filter, last,
                                                     y + p * taps.channels);
    p += count;
  }
}

// Elements from the first window's first to the last one's last.
int64_t Reach(const WindowDim& d) {
  return (d.output - 1) * d.stride + d.extent();
}

class SmallCinConv final : public Conv<float> {
 public:
  explicit SmallCinConv(const ConvShape& shape)
      : s_(shape),
        padded_height_(Reach(s_.height)),
        padded_width_(Reach(s_.width)),
        taps_{s_.height.size,    s_.width.size,   s_.height.dilation * padded_width_,
              s_.width.dilation, s_.width.stride, s_.out_channels} {}

  Status Run(const float* x, const float* filter, float* y, ThreadPool& pool, Allocator& allocator) const override {
    return RunAndFinish(
        x, filter, y, s_.images * s_.out_pixels(), [](int64_t, int64_t) {}, pool, allocator);
  }

  Status RunAndFinish(const float* x, const float* filter, float* y, int64_t /*pixels*/,
                      FunctionRef<void(int64_t first, int64_t count)> finish, ThreadPool& pool,
                      Allocator& /*allocator*/) const override {
    return ForImageBlocks(s_, pool, [&](int64_t first, int64_t count) {
      std::vector<float> padded = PaddedImage();
      for (int64_t i = first; i < first + count; ++i) {
        Image(x + i * s_.input_image(), filter, padded, y + i * s_.output_image());
        finish(i * s_.out_pixels(), s_.out_pixels());
      }
      return Status();
    });
  }

  Status RunAndTake(const float* x, const float* filter, int64_t /*images*/, int64_t image_elements,
                    FunctionRef<void(int64_t first, int64_t count, const float* values)> take, ThreadPool& pool,
                    Allocator& allocator) const override {
    return ForImageBlocks(s_, pool, [&](int64_t first, int64_t count) -> Status {
      std::vector<float> padded = PaddedImage();
      DF_ASSIGN(Tensor space, Tensor::Allocate(allocator, DType::kFloat, Shape({image_elements})));
      for (int64_t i = first; i < first + count; ++i) {
        Image(x + i * s_.input_image(), filter, padded, space.data<float>());
        take(i, 1, space.data<float>());
      }
      return Status();
    });
  }

 private:
  std::vector<float> PaddedImage() const {
    return std::vector<float>(static_cast<size_t>(padded_height_ * padded_width_));
  }

  void Image(const float* x, const float* filter, std::vector<float>& padded, float* y) const {
    Pad(x, padded.data());
    for (int64_t oh = 0; oh < s_.height.output; ++oh) {
      OutputRow(padded.data() + oh * s_.height.stride * padded_width_, filter,
                y + oh * s_.width.output * s_.out_channels);
    }
  }

  // The part of the image that windows reach, between zeros that stay from image to image.
  void Pad(const float* image, float* padded) const {
    const int64_t left = s_.width.pad_before;
    const int64_t rows = std::min(s_.height.input, padded_height_ - s_.height.pad_before);
    const int64_t columns = std::min(s_.width.input, padded_width_ - left);
    for (int64_t h = 0; h < rows; ++h) {
      std::copy_n(image + h * s_.width.input, columns, padded + (h + s_.height.pad_before) * padded_width_ + left);
    }
  }

  void OutputRow(const float* window, const float* filter, float* y) const {
    constexpr int64_t kWidth = kLanes<float>;
    int64_t c = 0;
    for (; c + kWidth < s_.out_channels; c += kMaxVectors * kWidth) {
      const auto last = static_cast<int>(std::min(kWidth, s_.out_channels - c - kWidth));
      Row<kMaxVectors>(taps_, window, filter + c, s_.width.output, last, y + c);
    }
    if (c < s_.out_channels) {
      Row<1>(taps_, window, filter + c, s_.width.output, static_cast<int>(s_.out_channels - c), y + c);
    }
  }

  const ConvShape s_;
  const int64_t padded_height_;
  const int64_t padded_width_;
  const Taps taps_;
};

}  // namespace

std::shared_ptr<const Conv<float>> MakeSmallCinConv(const ConvShape& shape) {
  if (shape.in_channels != 1 || shape.groups != 1 || shape.format.spatial != 2) return nullptr;
  if (shape.format.channels_first && shape.out_channels != 1) return nullptr;
  // Padding that dwarfs the image is not worth memory.
  const double padded = static_cast<double>(Reach(shape.height)) * static_cast<double>(Reach(shape.width));
  if (padded > 65536.0 + 4.0 * static_cast<double>(shape.in_pixels())) return nullptr;
  return std::make_shared<SmallCinConv>(shape);
}

}  // namespace dfrun
