// PNG files in memory, by libpng.
#ifndef DFRUN_KERNELS_IMAGE_PNG_H_
#define DFRUN_KERNELS_IMAGE_PNG_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "src/base/status.h"

namespace dfrun {

// The most rows or columns of an image.
constexpr int64_t kMaxPngSize = 1'000'000;

struct PngFormat {
  int64_t height = 0;
  int64_t width = 0;
  int channels = 0;  // 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA
  int bits = 8;      // a channel: 8, or 16 in this machine's byte order
};

// Writes pixels in row-major order. `compression`: 0 to 9, or -1 for zlib's default. InvalidArgument for an empty image
// and for images that libpng refuses.
Result<std::string> EncodePng(const PngFormat& format, const void* pixels, int compression);

// Reads the image as `channels` channels (0: as many as the file has, a palette as RGB or RGBA) of `bits` bits.
// `allocate` receives the format and returns the memory for the pixels. InvalidArgument for damaged files.
Status DecodePng(std::string_view file, int channels, int bits,
                 const std::function<Result<void*>(const PngFormat&)>& allocate);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IMAGE_PNG_H_
