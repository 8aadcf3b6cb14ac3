// Walks over the windows of a convolution.
#ifndef DFRUN_KERNELS_NN_CONV_CONV_WINDOWS_H_
#define DFRUN_KERNELS_NN_CONV_CONV_WINDOWS_H_

#include <algorithm>

#include "kernels/nn/conv/conv_shape.h"

namespace dfrun {

// Calls at(from, tap) for the taps of a window that lie inside [0, d.input).
template <class At>
void ForTaps(const WindowDim& d, int64_t out, At&& at) {
  for (int64_t tap = 0; tap < d.size; ++tap) {
    const int64_t from = out * d.stride - d.pad_before + tap * d.dilation;
    if (from >= 0 && from < d.input) at(from, tap);
  }
}

// Calls run(pixel of the input, tap of the filter, count) for the part of a window that lies inside the image: `count`
// pixels side by side under as many taps.
template <class Run>
void ForWindow(const ConvShape& s, int64_t od, int64_t oh, int64_t ow, Run&& run) {
  const int64_t left = ow * s.width.stride - s.width.pad_before;
  ForTaps(s.depth, od, [&](int64_t d, int64_t kd) {
    ForTaps(s.height, oh, [&](int64_t h, int64_t kh) {
      const int64_t row = (d * s.height.input + h) * s.width.input;
      const int64_t tap = (kd * s.height.size + kh) * s.width.size;
      if (s.width.dilation == 1) {
        const int64_t begin = std::max<int64_t>(0, -left);
        const int64_t end = std::min(s.width.size, s.width.input - left);
        if (begin < end) run(row + left + begin, tap + begin, end - begin);
      } else {
        ForTaps(s.width, ow, [&](int64_t w, int64_t kw) { run(row + w, tap + kw, 1); });
      }
    });
  });
}

// Calls at(od, oh, ow) in the order of the output's pixels.
template <class At>
void ForOutputPixels(const ConvShape& s, At&& at) {
  for (int64_t od = 0; od < s.depth.output; ++od) {
    for (int64_t oh = 0; oh < s.height.output; ++oh) {
      for (int64_t ow = 0; ow < s.width.output; ++ow) at(od, oh, ow);
    }
  }
}

}  // namespace dfrun

#endif  // DFRUN_KERNELS_NN_CONV_CONV_WINDOWS_H_
