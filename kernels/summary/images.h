// The images of a batch as PNG files, scaled as TensorFlow's image summaries scale them: uint8 as it is; other numbers
// from 0 to the greatest one or, where one is negative, around 128. A pixel with NaN or infinity gets a color of its
// own.
#ifndef DFRUN_KERNELS_SUMMARY_IMAGES_H_
#define DFRUN_KERNELS_SUMMARY_IMAGES_H_

#include <string>
#include <vector>

#include "src/framework/values/tensor.h"
#include "src/storage/summary.pb.h"

namespace dfrun {

// uint8[255, 0, 0, 255].
Tensor DefaultBadColor();

// Encodes the first `most` images of [batch, height, width, 1, 3 or 4], of uint8 or floating-point numbers.
// `bad_color`: a uint8 for each channel. InvalidArgument where the shape does not fit or an image is empty.
Result<std::vector<std::string>> EncodeImages(const Tensor& images, int64_t most, const Tensor& bad_color);

// Adds the values of TensorFlow's image summary.
Status AddImages(const std::string& tag, const Tensor& images, int64_t most, const Tensor& bad_color,
                 proto::Summary& summary);

}  // namespace dfrun

#endif  // DFRUN_KERNELS_SUMMARY_IMAGES_H_
