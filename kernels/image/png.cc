#include "kernels/image/png.h"

#include <png.h>

#include <bit>
#include <vector>

namespace dfrun {
namespace {

// libpng reports errors by longjmp to the caller of its functions: those calls stand in functions that have nothing to
// destroy. Its messages are stored here.
struct Messages {
  std::string error;
};

[[noreturn]] void OnError(png_structp png, png_const_charp text) {
  static_cast<Messages*>(png_get_error_ptr(png))->error = text;
  png_longjmp(png, 1);
}
void OnWarning(png_structp, png_const_charp) {}

int ColorType(int channels) {
  switch (channels) {
    case 1:
      return PNG_COLOR_TYPE_GRAY;
    case 2:
      return PNG_COLOR_TYPE_GRAY_ALPHA;
    case 3:
      return PNG_COLOR_TYPE_RGB;
    default:
      return PNG_COLOR_TYPE_RGB_ALPHA;
  }
}

void Append(png_structp png, png_bytep data, png_size_t size) {
  static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(data), size);
}

// A writer or reader of libpng's with its info and its messages.
struct Png {
  Messages messages;
  png_structp png = nullptr;
  png_infop info = nullptr;
  bool writes = false;

  explicit Png(bool writing) : writes(writing) {
    png = writes ? png_create_write_struct(PNG_LIBPNG_VER_STRING, &messages, &OnError, &OnWarning)
                 : png_create_read_struct(PNG_LIBPNG_VER_STRING, &messages, &OnError, &OnWarning);
    if (png != nullptr) info = png_create_info_struct(png);
  }
  Png(const Png&) = delete;
  Png& operator=(const Png&) = delete;
  ~Png() {
    if (writes) {
      png_destroy_write_struct(&png, &info);
    } else {
      png_destroy_read_struct(&png, &info, nullptr);
    }
  }
  bool ready() const { return info != nullptr; }
  Status Failed(std::string_view what) const {
    return InvalidArgument(what, ": ", messages.error.empty() ? "out of memory" : messages.error);
  }
};

bool Write(Png& writer, const PngFormat& format, const std::vector<png_bytep>& rows, int compression,
           std::string* out) {
  if (setjmp(png_jmpbuf(writer.png)) != 0) return false;
  png_set_write_fn(writer.png, out, &Append, nullptr);
  if (compression >= 0) png_set_compression_level(writer.png, compression);
  png_set_IHDR(writer.png, writer.info, static_cast<png_uint_32>(format.width), static_cast<png_uint_32>(format.height),
               format.bits, ColorType(format.channels), PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  png_write_info(writer.png, writer.info);
  if (format.bits == 16 && std::endian::native == std::endian::little) png_set_swap(writer.png);
  for (png_bytep row : rows) png_write_row(writer.png, row);
  png_write_end(writer.png, nullptr);
  return true;
}

// The part of the file that is not read yet.
void ReadSome(png_structp png, png_bytep data, png_size_t size) {
  auto* left = static_cast<std::string_view*>(png_get_io_ptr(png));
  if (left->size() < size) png_error(png, "the file ends before the image does");
  left->copy(reinterpret_cast<char*>(data), size);
  left->remove_prefix(size);
}

// Weights of red and green in grey; blue has the rest.
constexpr double kRed = 0.299;
constexpr double kGreen = 0.587;

// Asks libpng for `channels` channels (0: the file's) of `bits` bits.
void SetTransformations(Png& reader, int channels, int bits) {
  png_structp png = reader.png;
  const int color = png_get_color_type(png, reader.info);
  const int file_bits = png_get_bit_depth(png, reader.info);
  const bool has_transparency = png_get_valid(png, reader.info, PNG_INFO_tRNS) != 0;
  const bool is_palette = color == PNG_COLOR_TYPE_PALETTE;
  const bool has_alpha = (color & PNG_COLOR_MASK_ALPHA) != 0;
  const bool is_grey = (color & PNG_COLOR_MASK_COLOR) == 0;
  if (is_palette) png_set_palette_to_rgb(png);
  if (is_grey && file_bits < 8) png_set_expand_gray_1_2_4_to_8(png);
  const bool wants_alpha = channels == 0 ? has_alpha || (is_palette && has_transparency) : channels % 2 == 0;
  if (!wants_alpha && (has_alpha || has_transparency)) png_set_strip_alpha(png);
  if (wants_alpha && has_transparency) png_set_tRNS_to_alpha(png);
  if (wants_alpha && !has_alpha && !has_transparency)
    png_set_add_alpha(png, bits == 16 ? 65535 : 255, PNG_FILLER_AFTER);
  if (channels >= 3 && is_grey) png_set_gray_to_rgb(png);
  if ((channels == 1 || channels == 2) && !is_grey) png_set_rgb_to_gray(png, PNG_ERROR_ACTION_NONE, kRed, kGreen);
  if (bits == 8 && file_bits == 16) png_set_strip_16(png);
  if (bits == 16 && file_bits < 16) png_set_expand_16(png);
  if (bits == 16 && std::endian::native == std::endian::little) png_set_swap(png);
}

bool ReadHeader(Png& reader, std::string_view* left, int channels, int bits, PngFormat* format) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  png_set_user_limits(reader.png, kMaxPngSize, kMaxPngSize);
  png_set_read_fn(reader.png, left, &ReadSome);
  png_read_info(reader.png, reader.info);
  SetTransformations(reader, channels, bits);
  png_set_interlace_handling(reader.png);
  png_read_update_info(reader.png, reader.info);
  *format = {png_get_image_height(reader.png, reader.info), png_get_image_width(reader.png, reader.info),
             png_get_channels(reader.png, reader.info), png_get_bit_depth(reader.png, reader.info)};
  return true;
}

bool ReadImage(Png& reader, std::vector<png_bytep>& rows) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  png_read_image(reader.png, rows.data());
  png_read_end(reader.png, nullptr);
  return true;
}

std::vector<png_bytep> Rows(const PngFormat& format, void* pixels) {
  std::vector<png_bytep> rows(static_cast<size_t>(format.height));
  const size_t row_bytes = static_cast<size_t>(format.width * format.channels * (format.bits / 8));
  for (size_t y = 0; y < rows.size(); ++y) rows[y] = static_cast<png_bytep>(pixels) + y * row_bytes;
  return rows;
}

}  // namespace

Result<std::string> EncodePng(const PngFormat& format, const void* pixels, int compression) {
  if (format.height <= 0 || format.width <= 0 || format.height > kMaxPngSize || format.width > kMaxPngSize) {
    return InvalidArgument("cannot make a PNG of ", format.height, " x ", format.width, " pixels");
  }
  Png writer(true);
  if (!writer.ready()) return writer.Failed("cannot make a PNG");
  std::string file;
  // libpng writes from rows that it does not change, though its interface does not say so.
  const std::vector<png_bytep> rows = Rows(format, const_cast<void*>(pixels));
  if (!Write(writer, format, rows, compression, &file)) return writer.Failed("cannot make a PNG");
  return file;
}

Status DecodePng(std::string_view file, int channels, int bits,
                 const std::function<Result<void*>(const PngFormat&)>& allocate) {
  Png reader(false);
  PngFormat format;
  if (!reader.ready() || !ReadHeader(reader, &file, channels, bits, &format)) return reader.Failed("cannot read a PNG");
  DF_ASSIGN(void* const pixels, allocate(format));
  std::vector<png_bytep> rows = Rows(format, pixels);
  if (!ReadImage(reader, rows)) return reader.Failed("cannot read a PNG");
  return Status();
}

}  // namespace dfrun
