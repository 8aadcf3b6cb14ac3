#include "kernels/device/cpu_kernel.h"
#include "kernels/image/jpeg.h"
#include "kernels/image/png.h"

namespace dfrun {
namespace {

// A small file may claim to be a large image: more elements than this are refused.
constexpr int64_t kMaxElements = int64_t{1} << 29;

constexpr std::string_view kPngMagic = "\x89PNG\r\n\x1a\n";
constexpr std::string_view kJpegMagic = "\xff\xd8\xff";

// Output 0 for an image of this format.
template <class Format>
Result<void*> AllocateImage(OpContext& ctx, const Format& format) {
  const int64_t pixels = format.height * format.width;  // each fits in 32 bits
  if (pixels == 0 || pixels > kMaxElements / format.channels) {
    return InvalidArgument("an image of ", format.height, " x ", format.width, " pixels is empty or too large");
  }
  Tensor* image = nullptr;
  DF_TRY(ctx.AllocateOutput(0, Shape({format.height, format.width, format.channels}), &image));
  return image->raw();
}

// DecodePng and DecodeJpeg: each reads both kinds of files.
class DecodeKernel final : public Kernel {
 public:
  explicit DecodeKernel(KernelSetup& setup) {
    const bool for_jpeg = setup.node().op->name == "DecodeJpeg";
    const int64_t channels = setup.attr<int64_t>("channels");
    if (channels != 0 && channels != 1 && channels != 3 && (channels != 4 || for_jpeg)) {
      setup.Fail(InvalidArgument("channels must be 0, 1 or 3", for_jpeg ? "" : ", or 4", ", but is ", channels));
    }
    options_.channels = static_cast<int>(channels);
    if (for_jpeg) ReadOptions(setup);
    bits_ = !for_jpeg && setup.attr<DType>("dtype") == DType::kUint16 ? 16 : 8;
  }

  Status Compute(OpContext& ctx) {
    if (ctx.input(0).shape().rank() != 0) {
      return InvalidArgument("contents must be a scalar, but have shape ", ctx.input(0).shape());
    }
    const std::string_view file = ctx.input(0).scalar<std::string>();
    if (file.substr(0, kPngMagic.size()) == kPngMagic) {
      return DecodePng(file, options_.channels, bits_,
                       [&](const PngFormat& format) { return AllocateImage(ctx, format); });
    }
    if (file.substr(0, kJpegMagic.size()) != kJpegMagic) {
      return InvalidArgument("the contents are neither a PNG nor a JPEG file");
    }
    if (bits_ == 16 || options_.channels == 4) return InvalidArgument("a JPEG file has neither 16 bits nor 4 channels");
    return DecodeJpeg(file, options_, [&](const JpegFormat& format) { return AllocateImage(ctx, format); });
  }
  bool IsExpensive() const override { return true; }

 private:
  void ReadOptions(KernelSetup& setup) {
    options_.ratio = static_cast<int>(setup.attr<int64_t>("ratio"));
    options_.fancy_upscaling = setup.attr<bool>("fancy_upscaling");
    options_.accept_truncated = setup.attr<bool>("try_recover_truncated");
    const auto method = setup.attr<std::string>("dct_method");
    options_.accurate = method == "INTEGER_ACCURATE";
    if (!method.empty() && !options_.accurate && method != "INTEGER_FAST") {
      setup.Fail(InvalidArgument("dct_method is INTEGER_FAST or INTEGER_ACCURATE, not '", method, "'"));
    }
    const int64_t ratio = setup.attr<int64_t>("ratio");
    if (ratio != 1 && ratio != 2 && ratio != 4 && ratio != 8) {
      setup.Fail(InvalidArgument("ratio must be 1, 2, 4 or 8, but is ", ratio));
    }
  }

  JpegOptions options_;
  int bits_ = 8;
};

class EncodePngKernel final : public Kernel {
 public:
  explicit EncodePngKernel(KernelSetup& setup)
      : compression_(setup.attr<int64_t>("compression")), bits_(setup.attr<DType>("T") == DType::kUint16 ? 16 : 8) {
    if (compression_ < -1 || compression_ > 9) {
      setup.Fail(InvalidArgument("compression must be -1 to 9, but is ", compression_));
    }
  }

  Status Compute(OpContext& ctx) {
    const Tensor& images = ctx.input(0);
    const Shape& shape = images.shape();
    const int rank = shape.rank();
    if (rank < 3 || shape[rank - 1] < 1 || shape[rank - 1] > 4) {
      return InvalidArgument("images must have shape [..., height, width, 1 to 4], but have ", shape);
    }
    const PngFormat format{shape[rank - 3], shape[rank - 2], static_cast<int>(shape[rank - 1]), bits_};
    Tensor* files = nullptr;
    DF_TRY(ctx.AllocateOutput(0, Shape(shape.dims().subspan(0, static_cast<size_t>(rank) - 3)), &files));
    const int64_t count = files->num_elements();
    const size_t bytes = count == 0 ? 0 : images.num_bytes() / static_cast<size_t>(count);
    const auto* from = static_cast<const std::byte*>(images.raw());
    for (std::string* file = files->data<std::string>(); file != files->data<std::string>() + count; ++file) {
      DF_ASSIGN(*file, EncodePng(format, from, static_cast<int>(compression_)));
      from += bytes;
    }
    return Status();
  }
  bool IsExpensive() const override { return true; }

 private:
  const int64_t compression_;
  const int bits_;
};

CPU_KERNEL_ANY("DecodePng", DecodeKernel);
CPU_KERNEL_ANY("DecodeJpeg", DecodeKernel);
CPU_KERNEL_ANY("EncodePng", EncodePngKernel);

}  // namespace
}  // namespace dfrun
