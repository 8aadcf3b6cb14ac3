#include "kernels/nn/unfolded_conv.h"

#include <algorithm>

#include "kernels/matrix/direct_gemm.h"
#include "kernels/nn/image_blocks.h"

namespace dfrun {
namespace {

// Calls run(offset in the image, offset in the row, length) for the stretches of a window that lie inside the image.
// Images are [height, width, channels]; the window's row is [kh, kw, channels].
template <class Run>
void ForWindow(const ConvShape& s, int64_t oh, int64_t ow, Run&& run) {
  const int64_t channels = s.in_channels;
  for (int64_t kh = 0; kh < s.height.size; ++kh) {
    const int64_t h = oh * s.height.stride - s.height.pad_before + kh * s.height.dilation;
    if (h < 0 || h >= s.height.input) continue;
    for (int64_t kw = 0; kw < s.width.size; ++kw) {
      const int64_t w = ow * s.width.stride - s.width.pad_before + kw * s.width.dilation;
      if (w < 0 || w >= s.width.input) continue;
      run((h * s.width.input + w) * channels, (kh * s.width.size + kw) * channels, channels);
    }
  }
}

// One row of `window()` elements an output position.
template <class T>
void Unfold(const ConvShape& s, const T* image, T* rows) {
  for (int64_t oh = 0; oh < s.height.output; ++oh) {
    for (int64_t ow = 0; ow < s.width.output; ++ow, rows += s.window()) {
      std::fill_n(rows, s.window(), T(0));
      ForWindow(s, oh, ow, [&](int64_t from, int64_t to, int64_t n) { std::copy_n(image + from, n, rows + to); });
    }
  }
}

// Adds the rows up where their elements came from.
template <class T>
void Fold(const ConvShape& s, const T* rows, T* image) {
  std::fill_n(image, s.input_image(), T(0));
  for (int64_t oh = 0; oh < s.height.output; ++oh) {
    for (int64_t ow = 0; ow < s.width.output; ++ow, rows += s.window()) {
      ForWindow(s, oh, ow, [&](int64_t to, int64_t from, int64_t n) {
        for (int64_t i = 0; i < n; ++i) image[to + i] += rows[from + i];
      });
    }
  }
}

// [rows, columns] to [columns, rows].
template <class T>
void Transpose(const T* from, int64_t rows, int64_t columns, T* to) {
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) to[c * rows + r] = from[r * columns + c];
  }
}

// Scratch space of one block of images: unfolded windows, a filter's gradient, an image with channels last.
template <class T>
struct Scratch {
  Tensor rows;
  Tensor filter;
  Tensor input;
  Tensor output;

  static Result<Scratch> Allocate(const ConvShape& s, Allocator& allocator) {
    Scratch scratch;
    const int64_t positions = s.height.output * s.width.output;
    DF_ASSIGN(const Shape rows, Shape::Create(std::vector<int64_t>{positions, s.window()}));
    DF_ASSIGN(scratch.rows, Tensor::Allocate(allocator, DTypeOf<T>, rows));
    DF_ASSIGN(scratch.filter, Tensor::Allocate(allocator, DTypeOf<T>, s.filter()));
    DF_ASSIGN(scratch.input, Tensor::Allocate(allocator, DTypeOf<T>, Shape({s.input_image()})));
    DF_ASSIGN(scratch.output, Tensor::Allocate(allocator, DTypeOf<T>, Shape({s.output_image()})));
    return scratch;
  }
};

template <class T>
class UnfoldedConv final : public Conv<T> {
 public:
  UnfoldedConv(ConvKind kind, const ConvShape& shape) : kind_(kind), s_(shape) {}

  Status Run(const T* a, const T* b, T* result, ThreadPool& pool, Allocator& allocator) const override {
    if (kind_ == ConvKind::kBackpropFilter) {
      return SumOverImageBlocks<T>(s_, result, pool, allocator, [&](int64_t first, int64_t count, T* partial) {
        return FilterBlock(a, b, partial, first, count, allocator);
      });
    }
    return ForImageBlocks(s_, pool, [&](int64_t first, int64_t count) -> Status {
      DF_ASSIGN(Scratch<T> scratch, Scratch<T>::Allocate(s_, allocator));
      for (int64_t i = first; i < first + count; ++i) {
        if (kind_ == ConvKind::kForward) {
          Forward(a + i * s_.input_image(), b, result + i * s_.output_image(), scratch);
        } else {
          BackpropInput(a + i * s_.output_image(), b, result + i * s_.input_image(), scratch);
        }
      }
      return Status();
    });
  }

 private:
  int64_t positions() const { return s_.height.output * s_.width.output; }

  // The image with channels last: itself, or a copy in `space`.
  const T* ChannelsLast(const T* image, int64_t channels, int64_t pixels, Tensor& space) const {
    if (!s_.format.channels_first) return image;
    Transpose(image, channels, pixels, space.data<T>());
    return space.data<T>();
  }

  void Forward(const T* input, const T* filter, T* output, Scratch<T>& scratch) const {
    T* rows = scratch.rows.template data<T>();
    Unfold(s_, ChannelsLast(input, s_.in_channels, s_.height.input * s_.width.input, scratch.input), rows);
    T* to = s_.format.channels_first ? scratch.output.template data<T>() : output;
    DirectGemm<T>(positions(), s_.window(), s_.out_channels, {rows, s_.window(), false},
                  {filter, s_.out_channels, false}, {to, s_.out_channels, false});
    if (s_.format.channels_first) Transpose(to, positions(), s_.out_channels, output);
  }

  void BackpropInput(const T* dy, const T* filter, T* dx, Scratch<T>& scratch) const {
    T* rows = scratch.rows.template data<T>();
    const T* from = ChannelsLast(dy, s_.out_channels, positions(), scratch.output);
    DirectGemm<T>(positions(), s_.out_channels, s_.window(), {from, s_.out_channels, false},
                  {filter, s_.out_channels, true}, {rows, s_.window(), false});
    T* to = s_.format.channels_first ? scratch.input.template data<T>() : dx;
    Fold(s_, rows, to);
    if (s_.format.channels_first) Transpose(to, s_.height.input * s_.width.input, s_.in_channels, dx);
  }

  Status FilterBlock(const T* input, const T* dy, T* sum, int64_t first, int64_t count, Allocator& allocator) const {
    DF_ASSIGN(Scratch<T> scratch, Scratch<T>::Allocate(s_, allocator));
    T* rows = scratch.rows.template data<T>();
    T* part = scratch.filter.template data<T>();
    const int64_t size = s_.filter().num_elements();
    std::fill_n(sum, size, T(0));
    for (int64_t i = first; i < first + count; ++i) {
      const T* x = input + i * s_.input_image();
      Unfold(s_, ChannelsLast(x, s_.in_channels, s_.height.input * s_.width.input, scratch.input), rows);
      const T* from = ChannelsLast(dy + i * s_.output_image(), s_.out_channels, positions(), scratch.output);
      DirectGemm<T>(s_.window(), positions(), s_.out_channels, {rows, s_.window(), true},
                    {from, s_.out_channels, false}, {part, s_.out_channels, false});
      for (int64_t j = 0; j < size; ++j) sum[j] += part[j];
    }
    return Status();
  }

  const ConvKind kind_;
  const ConvShape s_;
};

}  // namespace

template <class T>
std::shared_ptr<const Conv<T>> MakeUnfoldedConv(ConvKind kind, const ConvShape& shape) {
  return std::make_shared<UnfoldedConv<T>>(kind, shape);
}

template std::shared_ptr<const Conv<float>> MakeUnfoldedConv(ConvKind, const ConvShape&);
template std::shared_ptr<const Conv<double>> MakeUnfoldedConv(ConvKind, const ConvShape&);
template std::shared_ptr<const Conv<int32_t>> MakeUnfoldedConv(ConvKind, const ConvShape&);

}  // namespace dfrun
