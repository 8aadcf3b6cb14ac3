// RowBands: the rows of a convolution's output in bands of equal height, each a convolution of some of an image's rows.
// They serve images that are much work for one thread, so that threads end together and several share one image.
#ifndef DFRUN_KERNELS_NN_CONV_ROW_BANDS_H_
#define DFRUN_KERNELS_NN_CONV_ROW_BANDS_H_

#include <algorithm>

#include "kernels/nn/conv/conv_shape.h"

namespace dfrun {

class RowBands {
 public:
  // `work`: multiplications worth a band. Bands divide the output's rows, and only the first and the last reach into
  // padding; where that cannot be, there is one.
  RowBands(const ConvShape& shape, double work) : s_(shape.WithImages(1)) {
    if (shape.format.spatial != 2 || shape.format.channels_first) return;
    constexpr double kMax = 16;
    count_ = static_cast<int64_t>(std::clamp(shape.image_work() / work, 1.0, kMax));
    while (s_.height.output % count_ != 0) --count_;
    for (int64_t band = 0; band < count_; ++band) {
      const bool is_inner = band > 0 && band + 1 < count_;
      if (InputEnd(band) <= InputBegin(band) || (is_inner && !(ShapeOf(band) == ShapeOf(1)))) count_ = 1;
    }
  }

  int64_t count() const { return count_; }
  // The convolution of one image's band. All bands but the first and the last are alike.
  ConvShape ShapeOf(int64_t band) const {
    ConvShape shape = s_;
    shape.height.output = rows();
    shape.height.input = InputEnd(band) - InputBegin(band);
    shape.height.pad_before = InputBegin(band) - First(band);
    return shape;
  }
  // Elements of an image's input and output before the band's.
  int64_t InputOffset(int64_t band) const { return InputBegin(band) * s_.width.input * s_.in_channels; }
  int64_t OutputOffset(int64_t band) const { return band * rows() * s_.width.output * s_.out_channels; }
  int64_t rows() const { return s_.height.output / count_; }

 private:
  // Rows of the input that the band's windows reach: with the padding before it, and inside.
  int64_t First(int64_t band) const { return band * rows() * s_.height.stride - s_.height.pad_before; }
  int64_t InputBegin(int64_t band) const { return std::max<int64_t>(0, First(band)); }
  int64_t InputEnd(int64_t band) const {
    const int64_t last = First(band) + (rows() - 1) * s_.height.stride;
    return std::min(s_.height.input, last + s_.height.extent());
  }

  const ConvShape s_;
  int64_t count_ = 1;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_CONV_ROW_BANDS_H_
