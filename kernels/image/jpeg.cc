#include "kernels/image/jpeg.h"

#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

// <jerror.h> and <jpeglib.h> need <cstdio> before them.
#include <jerror.h>
#include <jpeglib.h>

namespace dfrun {
namespace {

// libjpeg reports errors by a callback that must not return: it jumps to the caller of libjpeg's functions, which
// therefore have nothing to destroy.
struct Errors {
  jpeg_error_mgr manager;  // first: libjpeg knows this object by it
  std::jmp_buf jump;
  char text[JMSG_LENGTH_MAX];
  bool truncated;
};

Errors& ErrorsOf(j_common_ptr jpeg) {
  return *reinterpret_cast<Errors*>(jpeg->err);
}

[[noreturn]] void OnError(j_common_ptr jpeg) {
  jpeg->err->format_message(jpeg, ErrorsOf(jpeg).text);
  std::longjmp(ErrorsOf(jpeg).jump, 1);
}

void OnMessage(j_common_ptr jpeg, int level) {
  if (level < 0 && jpeg->err->msg_code == JWRN_JPEG_EOF) ErrorsOf(jpeg).truncated = true;
}

struct Decoder {
  jpeg_decompress_struct jpeg{};
  Errors errors{};

  Decoder() {
    jpeg.err = jpeg_std_error(&errors.manager);
    errors.manager.error_exit = &OnError;
    errors.manager.emit_message = &OnMessage;
  }
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder() { jpeg_destroy_decompress(&jpeg); }
  Status Failed() const { return InvalidArgument("cannot read a JPEG: ", errors.text); }
};

bool IsCmyk(const jpeg_decompress_struct& jpeg) {
  return jpeg.jpeg_color_space == JCS_CMYK || jpeg.jpeg_color_space == JCS_YCCK;
}

// Progressive files are held whole as coefficients: a header that claims more pixels than this is refused first.
constexpr uint64_t kMaxPixels = uint64_t{1} << 29;

// Reads the header and says how to decode.
bool Start(Decoder& decoder, std::string_view file, const JpegOptions& options) {
  if (setjmp(decoder.errors.jump) != 0) return false;
  jpeg_decompress_struct& jpeg = decoder.jpeg;
  jpeg_create_decompress(&jpeg);
  jpeg_mem_src(&jpeg, reinterpret_cast<const unsigned char*>(file.data()), file.size());
  jpeg_read_header(&jpeg, TRUE);
  if (uint64_t{jpeg.image_width} * jpeg.image_height > kMaxPixels) {
    std::snprintf(decoder.errors.text, sizeof decoder.errors.text, "%u x %u pixels are too many", jpeg.image_height,
                  jpeg.image_width);
    return false;
  }
  if (options.channels == 1) jpeg.out_color_space = JCS_GRAYSCALE;
  if (options.channels == 3) jpeg.out_color_space = JCS_RGB;
  if (options.channels != 1 && IsCmyk(jpeg)) jpeg.out_color_space = JCS_CMYK;
  jpeg.do_fancy_upsampling = options.fancy_upscaling ? TRUE : FALSE;
  jpeg.scale_num = 1;
  jpeg.scale_denom = static_cast<unsigned>(options.ratio);
  jpeg.dct_method = options.accurate ? JDCT_ISLOW : JDCT_IFAST;
  jpeg_start_decompress(&jpeg);
  return true;
}

// Rows into `pixels` of `channels` channels; those of CMYK through `row`.
bool ReadRows(Decoder& decoder, unsigned char* pixels, int channels, unsigned char* row) {
  if (setjmp(decoder.errors.jump) != 0) return false;
  jpeg_decompress_struct& jpeg = decoder.jpeg;
  const size_t row_bytes = static_cast<size_t>(jpeg.output_width) * static_cast<size_t>(channels);
  while (jpeg.output_scanline < jpeg.output_height) {
    unsigned char* const to = pixels + row_bytes * jpeg.output_scanline;
    JSAMPROW target = row != nullptr ? row : to;
    jpeg_read_scanlines(&jpeg, &target, 1);
    for (size_t x = 0; row != nullptr && x < jpeg.output_width; ++x) {
      // Adobe's files hold the inks inverted.
      const bool inverted = jpeg.saw_Adobe_marker != 0;
      const unsigned black = inverted ? row[4 * x + 3] : 255U - row[4 * x + 3];
      for (size_t c = 0; c < 3; ++c) {
        const unsigned ink = inverted ? row[4 * x + c] : 255U - row[4 * x + c];
        to[3 * x + c] = static_cast<unsigned char>(black * ink / 255U);
      }
    }
  }
  jpeg_finish_decompress(&jpeg);
  return true;
}

}  // namespace

Status DecodeJpeg(std::string_view file, const JpegOptions& options,
                  const std::function<Result<void*>(const JpegFormat&)>& allocate) {
  Decoder decoder;
  if (!Start(decoder, file, options)) return decoder.Failed();
  const bool cmyk = decoder.jpeg.out_color_space == JCS_CMYK;
  const int channels = cmyk ? 3 : decoder.jpeg.output_components;
  DF_ASSIGN(void* const pixels, allocate({decoder.jpeg.output_height, decoder.jpeg.output_width, channels}));
  std::vector<unsigned char> row(cmyk ? static_cast<size_t>(decoder.jpeg.output_width) * 4 : 0);
  if (!ReadRows(decoder, static_cast<unsigned char*>(pixels), channels, cmyk ? row.data() : nullptr)) {
    return decoder.Failed();
  }
  if (!decoder.errors.truncated || options.accept_truncated) return Status();
  return InvalidArgument("cannot read a JPEG: the file ends before the image does");
}

}  // namespace dfrun
