#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/device/cpu_kernel.h"
#include "kernels/image/png.h"
#include "kernels/math/functions/element.h"
#include "kernels/summary/summary_output.h"

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

struct ImageSummary {
  template <class T>
  class Kernel final : public dfrun::Kernel {
   public:
    explicit Kernel(KernelSetup& setup)
        : max_images_(setup.attr<int64_t>("max_images")), bad_color_(setup.attr<Tensor>("bad_color")) {
      if (bad_color_.dtype() != DType::kUint8 || bad_color_.shape().rank() != 1) {
        setup.Fail(InvalidArgument("bad_color must be a uint8 vector, but is ", bad_color_.ToString()));
      }
    }

    Status Compute(OpContext& ctx) {
      DF_ASSIGN(const std::string tag, SummaryTag(ctx));
      const Tensor& images = ctx.input(1);
      DF_TRY(Check(images.shape()));
      const Shape& shape = images.shape();
      const int64_t pixels = shape[1] * shape[2];
      std::vector<uint8_t> bytes(static_cast<size_t>(pixels * shape[3]));
      proto::Summary summary;
      for (int64_t i = 0; i < std::min(shape[0], max_images_); ++i) {
        ToBytes(images.data<T>() + i * pixels * shape[3], pixels, shape[3], bad_color_.data<uint8_t>(), bytes.data());
        proto::Summary::Value* value = summary.add_value();
        value->set_tag(max_images_ == 1 ? tag + "/image" : StrCat(tag, "/image/", i));
        DF_TRY(Fill(shape, bytes, *value->mutable_image()));
      }
      return SetSummary(ctx, summary);
    }
    bool IsExpensive() const override { return true; }

   private:
    Status Check(const Shape& shape) const {
      const bool fits = shape.rank() == 4 && (shape[3] == 1 || shape[3] == 3 || shape[3] == 4);
      if (!fits) return InvalidArgument("images must have shape [batch, height, width, 1, 3 or 4], but have ", shape);
      if (shape[1] > kMaxPngSize || shape[2] > kMaxPngSize) {
        return InvalidArgument("images of shape ", shape, " are too large for PNG");
      }
      if (bad_color_.num_elements() < shape[3]) {
        return InvalidArgument("bad_color has ", bad_color_.num_elements(), " channels, but the images have ",
                               shape[3]);
      }
      return Status();
    }

    static Status Fill(const Shape& shape, const std::vector<uint8_t>& bytes, proto::Summary::Image& image) {
      image.set_height(static_cast<int32_t>(shape[1]));
      image.set_width(static_cast<int32_t>(shape[2]));
      image.set_colorspace(static_cast<int32_t>(shape[3]));
      DF_ASSIGN(std::string png, EncodePng({shape[1], shape[2], static_cast<int>(shape[3]), 8}, bytes.data(), -1));
      image.set_encoded_image_string(std::move(png));
      return Status();
    }

    const int64_t max_images_;
    const Tensor bad_color_;
  };
};

CPU_KERNEL("ImageSummary", ImageSummary, uint8_t, float, float16, double);

}  // namespace
}  // namespace dfrun
