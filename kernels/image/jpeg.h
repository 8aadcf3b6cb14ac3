// JPEG files in memory, by libjpeg-turbo.
#ifndef DFRUN_KERNELS_IMAGE_JPEG_H_
#define DFRUN_KERNELS_IMAGE_JPEG_H_

#include <cstdint>
#include <functional>
#include <string_view>

#include "src/base/status.h"

namespace dfrun {

struct JpegOptions {
  int channels = 0;  // 1 grey, 3 RGB, 0: as the file
  int ratio = 1;     // 1, 2, 4 or 8 times smaller
  bool fancy_upscaling = true;
  bool accurate = false;          // the accurate inverse transform instead of the fast one
  bool accept_truncated = false;  // libjpeg makes up what is missing
};

struct JpegFormat {
  int64_t height = 0;
  int64_t width = 0;
  int channels = 0;
};

// `allocate` receives the format and returns the memory for the pixels, row by row. InvalidArgument for damaged files.
Status DecodeJpeg(std::string_view file, const JpegOptions& options,
                  const std::function<Result<void*>(const JpegFormat&)>& allocate);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_IMAGE_JPEG_H_
