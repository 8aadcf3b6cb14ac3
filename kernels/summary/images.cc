#include "kernels/summary/images.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kernels/image/png.h"
#include "kernels/math/functions/element.h"
#include "src/framework/values/element_types.h"

namespace dfrun {
namespace {

// Numbers below this are taken for an image of zeros.
constexpr float kZeroThreshold = 1e-6F;

// The scaling of an image's numbers to bytes: from 0 up where all are positive, else around 128.
template <class T>
struct Scaling {
  T scale;
  T offset;

  static Scaling Of(float low, float high) {
    if (low < 0) {
      const float size = std::max(std::abs(low), std::abs(high));
      return {static_cast<T>(size < kZeroThreshold ? 0.0F : 127.0F / size), static_cast<T>(128.0F)};
    }
    return {static_cast<T>(high < kZeroThreshold ? 0.0F : 255.0F / high), static_cast<T>(0.0F)};
  }
};

template <class T>
bool IsFinitePixel(const T* pixel, int64_t channels) {
  return std::all_of(pixel, pixel + channels, [](T x) { return std::isfinite(static_cast<float>(x)); });
}

template <class T>
void ToBytes(const T* from, int64_t pixels, int64_t channels, const uint8_t* bad_color, uint8_t* to) {
  float low = std::numeric_limits<float>::infinity();
  float high = -low;
  for (int64_t p = 0; p < pixels; ++p) {
    if (!IsFinitePixel(from + p * channels, channels)) continue;
    for (int64_t c = 0; c < channels; ++c) {
      low = std::min(low, static_cast<float>(from[p * channels + c]));
      high = std::max(high, static_cast<float>(from[p * channels + c]));
    }
  }
  const Scaling<T> scaling = Scaling<T>::Of(low, high);
  for (int64_t p = 0; p < pixels; ++p, from += channels, to += channels) {
    if (!IsFinitePixel(from, channels)) {
      std::copy_n(bad_color, channels, to);
      continue;
    }
    for (int64_t c = 0; c < channels; ++c) {
      const T scaled = static_cast<T>(from[c] * scaling.scale);
      to[c] = static_cast<uint8_t>(static_cast<ComputeType<T>>(static_cast<T>(scaled + scaling.offset)));
    }
  }
}

template <>
void ToBytes<uint8_t>(const uint8_t* from, int64_t pixels, int64_t channels, const uint8_t*, uint8_t* to) {
  std::copy_n(from, pixels * channels, to);
}

Status Check(const Shape& shape, const Tensor& bad_color) {
  const bool fits = shape.rank() == 4 && (shape[3] == 1 || shape[3] == 3 || shape[3] == 4);
  if (!fits) return InvalidArgument("images must have shape [batch, height, width, 1, 3 or 4], but have ", shape);
  if (shape[1] > kMaxPngSize || shape[2] > kMaxPngSize) {
    return InvalidArgument("images of shape ", shape, " are too large for PNG");
  }
  if (bad_color.num_elements() < shape[3]) {
    return InvalidArgument("bad_color has ", bad_color.num_elements(), " channels, but the images have ", shape[3]);
  }
  return Status();
}

}  // namespace

Tensor DefaultBadColor() {
  return Tensor::Vector<uint8_t>({255, 0, 0, 255});
}

Result<std::vector<std::string>> EncodeImages(const Tensor& images, int64_t most, const Tensor& bad_color) {
  const Shape& shape = images.shape();
  DF_TRY(Check(shape, bad_color));
  const int64_t pixels = shape[1] * shape[2];
  std::vector<uint8_t> bytes(static_cast<size_t>(pixels * shape[3]));
  std::vector<std::string> encoded;
  for (int64_t i = 0; i < std::min(shape[0], most); ++i) {
    VisitDType<uint8_t, DF_FLOATS>(images.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      ToBytes(images.data<T>() + i * pixels * shape[3], pixels, shape[3], bad_color.data<uint8_t>(), bytes.data());
    });
    DF_ASSIGN(std::string png, EncodePng({shape[1], shape[2], static_cast<int>(shape[3]), 8}, bytes.data(), -1));
    encoded.push_back(std::move(png));
  }
  return encoded;
}

Status AddImages(const std::string& tag, const Tensor& images, int64_t most, const Tensor& bad_color,
                 proto::Summary& summary) {
  DF_ASSIGN(std::vector<std::string> encoded, EncodeImages(images, most, bad_color));
  const Shape& shape = images.shape();
  for (size_t i = 0; i < encoded.size(); ++i) {
    proto::Summary::Value* value = summary.add_value();
    value->set_tag(most == 1 ? tag + "/image" : StrCat(tag, "/image/", i));
    proto::Summary::Image* image = value->mutable_image();
    image->set_height(static_cast<int32_t>(shape[1]));
    image->set_width(static_cast<int32_t>(shape[2]));
    image->set_colorspace(static_cast<int32_t>(shape[3]));
    image->set_encoded_image_string(std::move(encoded[i]));
  }
  return Status();
}

}  // namespace dfrun
