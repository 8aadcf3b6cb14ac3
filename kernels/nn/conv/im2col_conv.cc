#include "kernels/nn/conv/im2col_conv.h"

#include <algorithm>

#include "kernels/gemm/unpacked_gemm.h"
#include "kernels/math/functions/functors.h"
#include "kernels/nn/conv/conv_windows.h"
#include "kernels/nn/conv/image_blocks.h"

namespace dfrun {
namespace {

// Calls run(offset in the image, offset in the window's row, elements) for the same, of the channels of one group: in
// one piece where they are all that a pixel has.
template <class Run>
void ForRuns(const ConvShape& s, int64_t od, int64_t oh, int64_t ow, Run&& run) {
  const int64_t n = s.group_inputs();
  ForWindow(s, od, oh, ow, [&](int64_t pixel, int64_t tap, int64_t count) {
    if (s.groups == 1) {
      run(pixel * n, tap * n, count * n);
    } else {
      for (int64_t i = 0; i < count; ++i) run((pixel + i) * s.in_channels, (tap + i) * n, n);
    }
  });
}

// One row of `window()` elements an output pixel: [taps, channels of the group]. `image` is at the group's first
// channel.
template <class T>
void Unfold(const ConvShape& s, const T* image, T* rows) {
  ForOutputPixels(s, [&](int64_t od, int64_t oh, int64_t ow) {
    std::fill_n(rows, s.window(), T(0));
    ForRuns(s, od, oh, ow, [&](int64_t from, int64_t to, int64_t n) {
      for (int64_t i = 0; i < n; ++i) rows[to + i] = image[from + i];  // short: a call of memcpy costs more
    });
    rows += s.window();
  });
}

// Adds the rows up where their elements came from.
template <class T>
void Fold(const ConvShape& s, const T* rows, T* image) {
  ForOutputPixels(s, [&](int64_t od, int64_t oh, int64_t ow) {
    ForRuns(s, od, oh, ow, [&](int64_t to, int64_t from, int64_t n) {
      for (int64_t i = 0; i < n; ++i) image[to + i] = fn::Add()(image[to + i], rows[from + i]);
    });
    rows += s.window();
  });
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
    DF_ASSIGN(const Shape rows, Shape::Create(std::vector<int64_t>{s.out_pixels(), s.window()}));
    DF_ASSIGN(scratch.rows, Tensor::Allocate(allocator, DTypeOf<T>, rows));
    DF_ASSIGN(scratch.filter, Tensor::Allocate(allocator, DTypeOf<T>, Shape({s.filter_size()})));
    DF_ASSIGN(scratch.input, Tensor::Allocate(allocator, DTypeOf<T>, Shape({s.input_image()})));
    DF_ASSIGN(scratch.output, Tensor::Allocate(allocator, DTypeOf<T>, Shape({s.output_image()})));
    return scratch;
  }
};

template <class T>
class Im2colConv final : public Conv<T> {
 public:
  Im2colConv(ConvKind kind, const ConvShape& shape) : kind_(kind), s_(shape) {}

  Status Run(const T* a, const T* b, T* result, ThreadPool& pool, Allocator& allocator) const override {
    if (kind_ == ConvKind::kBackpropFilter) {
      const auto block = [&](int64_t first, int64_t count, T* partial) {
        return FilterBlock(a, b, partial, first, count, allocator);
      };
      return SumOverImageBlocks<T>(s_, s_.filter_size(), result, pool, allocator, block);
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
  // The image with channels last: itself, or a copy in `space`.
  const T* ChannelsLast(const T* image, int64_t channels, int64_t pixels, Tensor& space) const {
    if (!s_.format.channels_first) return image;
    Transpose(image, channels, pixels, space.data<T>());
    return space.data<T>();
  }
  const T* Input(const T* image, Scratch<T>& scratch) const {
    return ChannelsLast(image, s_.in_channels, s_.in_pixels(), scratch.input);
  }
  const T* Output(const T* image, Scratch<T>& scratch) const {
    return ChannelsLast(image, s_.out_channels, s_.out_pixels(), scratch.output);
  }

  void Forward(const T* input, const T* filter, T* output, Scratch<T>& scratch) const {
    T* rows = scratch.rows.template data<T>();
    const T* from = Input(input, scratch);
    T* to = s_.format.channels_first ? scratch.output.template data<T>() : output;
    for (int64_t g = 0; g < s_.groups; ++g) {
      const int64_t out = g * s_.group_outputs();
      Unfold(s_, from + g * s_.group_inputs(), rows);
      UnpackedGemm<T>(s_.out_pixels(), s_.window(), s_.group_outputs(), {rows, s_.window(), false},
                      {filter + out, s_.out_channels, false}, {to + out, s_.out_channels, false});
    }
    if (s_.format.channels_first) Transpose(to, s_.out_pixels(), s_.out_channels, output);
  }

  void BackpropInput(const T* dy, const T* filter, T* dx, Scratch<T>& scratch) const {
    T* rows = scratch.rows.template data<T>();
    const T* from = Output(dy, scratch);
    T* to = s_.format.channels_first ? scratch.input.template data<T>() : dx;
    std::fill_n(to, s_.input_image(), T(0));
    for (int64_t g = 0; g < s_.groups; ++g) {
      const int64_t out = g * s_.group_outputs();
      UnpackedGemm<T>(s_.out_pixels(), s_.group_outputs(), s_.window(), {from + out, s_.out_channels, false},
                      {filter + out, s_.out_channels, true}, {rows, s_.window(), false});
      Fold(s_, rows, to + g * s_.group_inputs());
    }
    if (s_.format.channels_first) Transpose(to, s_.in_pixels(), s_.in_channels, dx);
  }

  Status FilterBlock(const T* input, const T* dy, T* sum, int64_t first, int64_t count, Allocator& allocator) const {
    DF_ASSIGN(Scratch<T> scratch, Scratch<T>::Allocate(s_, allocator));
    T* rows = scratch.rows.template data<T>();
    T* part = scratch.filter.template data<T>();
    std::fill_n(sum, s_.filter_size(), T(0));
    for (int64_t i = first; i < first + count; ++i) {
      const T* x = Input(input + i * s_.input_image(), scratch);
      const T* from = Output(dy + i * s_.output_image(), scratch);
      for (int64_t g = 0; g < s_.groups; ++g) {
        const int64_t out = g * s_.group_outputs();
        Unfold(s_, x + g * s_.group_inputs(), rows);
        UnpackedGemm<T>(s_.window(), s_.out_pixels(), s_.group_outputs(), {rows, s_.window(), true},
                        {from + out, s_.out_channels, false}, {part + out, s_.out_channels, false});
      }
      for (int64_t j = 0; j < s_.filter_size(); ++j) sum[j] = fn::Add()(sum[j], part[j]);
    }
    return Status();
  }

  const ConvKind kind_;
  const ConvShape s_;
};

}  // namespace

template <class T>
std::shared_ptr<const Conv<T>> MakeIm2colConv(ConvKind kind, const ConvShape& shape) {
  return std::make_shared<Im2colConv<T>>(kind, shape);
}

template std::shared_ptr<const Conv<float>> MakeIm2colConv(ConvKind, const ConvShape&);
template std::shared_ptr<const Conv<double>> MakeIm2colConv(ConvKind, const ConvShape&);
template std::shared_ptr<const Conv<int32_t>> MakeIm2colConv(ConvKind, const ConvShape&);

}  // namespace dfrun
