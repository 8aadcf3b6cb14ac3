// image: PNG and JPEG files, a sample each.
#include <algorithm>
#include <filesystem>

#include "kernels/image/jpeg.h"
#include "kernels/image/png.h"
#include "kernels/io/raw_decoder.h"
#include "src/base/sort_unique.h"

namespace dfrun {
namespace {

constexpr std::string_view kPngMagic = "\x89PNG";
constexpr std::string_view kJpegMagic = "\xFF\xD8";
// A small file may claim to be a large image: more elements than this are refused.
constexpr int64_t kMaxElements = int64_t{1} << 29;

std::string DirectoryOf(const std::string& path) {
  return std::filesystem::path(path).parent_path().string();
}

// Calls place(shape) -> Result<void*> for the memory of the pixels.
template <class Reserve>
Status DecodeImage(std::string_view file, int channels, Reserve&& reserve) {
  const auto allocate = [&](const auto& format) -> Result<void*> {
    if (format.height * format.width > kMaxElements / std::max(format.channels, 1)) {
      return InvalidArgument("an image of ", format.height, " x ", format.width, " pixels is too large");
    }
    return reserve(Shape({format.height, format.width, format.channels}));
  };
  if (file.starts_with(kPngMagic)) return DecodePng(file, channels, 8, allocate);
  if (!file.starts_with(kJpegMagic)) return InvalidArgument("it is neither a PNG nor a JPEG file");
  return DecodeJpeg(file, JpegOptions{.channels = channels}, allocate);
}

// Fields: "image", uint8 [height, width, channels]; "path"; "label", the number of the file's directory among all.
class ImageDecoder final : public RecordDecoder {
 public:
  ImageDecoder(const std::vector<std::string>& files, Compression compression, bool skips_errors)
      : files_(files), compression_(compression), skips_errors_(skips_errors) {
    for (const std::string& path : files) directories_.push_back(DirectoryOf(path));
    SortUnique(directories_);
  }

  Status AddField(SampleField& field) override {
    if (field.from == "path" || field.from == "label") {
      kinds_.push_back(field.from == "path" ? Kind::kPath : Kind::kLabel);
      DF_TRY(SettleDType(field, {field.from == "path" ? DType::kString : DType::kInt64}));
      return SettleShape(field, PartialShape::Scalar());
    }
    if (field.from != "image") {
      return InvalidArgument("there is no '", field.from, "': a file has 'image', 'label' and 'path'");
    }
    kinds_.push_back(Kind::kImage);
    DF_TRY(SettleDType(field, {DType::kUint8}));
    if (!field.shape.known_rank()) DF_TRY(TakeFirstShape(field));
    if (field.shape.rank() != 3) return InvalidArgument("an image has a shape [height, width, channels]");
    channels_ = std::max(0, static_cast<int>(field.shape.dim(2)));
    if (channels_ > 4) return InvalidArgument("an image has at most 4 channels, not ", channels_);
    if (channels_ == 2) channels_ = 0;  // grey and alpha: files that hold them, nothing is made to
    return Status();
  }

  Status Decode(const Record& record, int64_t i, BatchBuilder& batch) const override {
    for (size_t f = 0; f < kinds_.size(); ++f) {
      if (kinds_[f] == Kind::kImage) {
        DF_TRY(DecodeImage(record.bytes, channels_, [&](const Shape& shape) -> Result<void*> {
          DF_ASSIGN(const BatchBuilder::Room room, batch.Reserve(f, i, shape));
          return static_cast<void*>(room.bytes());
        }));
        continue;
      }
      DF_ASSIGN(const BatchBuilder::Room room, batch.Reserve(f, i, Shape()));
      if (kinds_[f] == Kind::kPath) {
        *room.data<std::string>() = record.path;
      } else {
        const std::string directory = DirectoryOf(record.path);
        *room.data<int64_t>() =
            std::lower_bound(directories_.begin(), directories_.end(), directory) - directories_.begin();
      }
    }
    return Status();
  }

 private:
  enum class Kind { kImage, kPath, kLabel };

  // Where errors are skipped the first is that without one.
  Status TakeFirstShape(SampleField& field) {
    Status status;
    for (const std::string& path : files_) {
      status = TakeShape(path, field);
      if (status.ok() || !skips_errors_) break;
    }
    return status;
  }

  Status TakeShape(const std::string& path, SampleField& field) const {
    DF_ASSIGN(const ByteFile file, ByteFile::Open(path, compression_, 0));
    FileCursor cursor(file);
    DF_ASSIGN(const std::string_view bytes, cursor.View(0, file.size()));
    std::vector<char> pixels;
    const Status status = DecodeImage(bytes, 0, [&](const Shape& shape) -> Result<void*> {
      field.shape = shape;
      pixels.resize(static_cast<size_t>(shape.num_elements()));
      return static_cast<void*>(pixels.data());
    });
    return status.ok() ? Status() : status.Annotate(path);
  }

  const std::vector<std::string> files_;
  const Compression compression_;
  const bool skips_errors_;
  std::vector<std::string> directories_;  // sorted
  std::vector<Kind> kinds_;               // by field
  int channels_ = 0;
};

Result<std::unique_ptr<SampleSource>> OpenImages(const SampleConfig& config) {
  DF_ASSIGN(std::vector<std::string> files, ExpandFiles(config.files));
  DF_ASSIGN(const Compression compression, CompressionOf(config));
  auto decoder = std::make_unique<ImageDecoder>(files, compression, SkipsErrors(config));
  return MakeRecordSource(config, std::move(files), WholeFiles(), std::move(decoder));
}

SAMPLE_FORMAT(SampleFormat{.name = "image",
                           .options = RecordOptions({}),
                           .default_fields = {{"image", "image"}, {"label", "label"}, {"path", "path"}},
                           .open = &OpenImages});

}  // namespace
}  // namespace dfrun
