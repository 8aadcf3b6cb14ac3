// The pixels of a convolution's input and output that meet under a tap of its filter.
#ifndef DFRUN_KERNELS_NN_CONV_TAP_PIXELS_H_
#define DFRUN_KERNELS_NN_CONV_TAP_PIXELS_H_

#include <algorithm>

#include "kernels/nn/conv/conv_shape.h"
#include "src/base/integers.h"

namespace dfrun {

// The outputs along a dimension of space whose window has a tap inside the image, and where that is.
class TapRange {
 public:
  TapRange(const WindowDim& d, int64_t tap)
      : stride_(d.stride), offset_(tap * d.dilation - d.pad_before), begin_(Reach(0, d)), end_(Reach(d.input, d)) {}
  int64_t begin() const { return begin_; }
  int64_t end() const { return end_; }
  int64_t size() const { return end_ - begin_; }
  int64_t Input(int64_t output) const { return output * stride_ + offset_; }

 private:
  // The first output whose tap is at `input` or beyond.
  int64_t Reach(int64_t input, const WindowDim& d) const {
    return input <= offset_ ? 0 : std::min(CeilDiv(input - offset_, stride_), d.output);
  }

  int64_t stride_;
  int64_t offset_;
  int64_t begin_;
  int64_t end_;
};

// The pixels of input and output that meet under a tap.
struct TapPixels {
  TapPixels(const ConvShape& s, int64_t tap)
      : depth(s.depth, tap / (s.height.size * s.width.size)),
        height(s.height, tap / s.width.size % s.height.size),
        width(s.width, tap % s.width.size) {}
  int64_t of_image() const { return depth.size() * height.size() * width.size(); }
  // Calls meet(input pixel, output pixel) for those of an image, in the order of the output.
  template <class Meet>
  void ForEach(const ConvShape& s, Meet&& meet) const {
    for (int64_t od = depth.begin(); od < depth.end(); ++od) {
      for (int64_t oh = height.begin(); oh < height.end(); ++oh) {
        const int64_t in = (depth.Input(od) * s.height.input + height.Input(oh)) * s.width.input;
        const int64_t out = (od * s.height.output + oh) * s.width.output;
        for (int64_t ow = width.begin(); ow < width.end(); ++ow) meet(in + width.Input(ow), out + ow);
      }
    }
  }

  TapRange depth;
  TapRange height;
  TapRange width;
};

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_CONV_TAP_PIXELS_H_
