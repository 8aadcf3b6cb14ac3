// image: PNG and JPEG files, a sample each.
#include <algorithm>

#include "kernels/image/jpeg.h"
#include "kernels/image/png.h"
#include "kernels/io/convert_elements.h"
#include "kernels/io/formats/image_classes.h"
#include "kernels/io/formats/raw_decoder.h"
#include "src/base/text.h"

namespace dfrun {
namespace {

constexpr std::string_view kPngMagic = "\x89PNG";
constexpr std::string_view kJpegMagic = "\xFF\xD8";
// The option by which rank 0 sends the folders' identities to other ranks: links may lead elsewhere on their hosts.
constexpr std::string_view kFolders = "folders";
// A small file may claim to be a large image: more elements than this are refused.
constexpr int64_t kMaxElements = int64_t{1} << 29;

// Calls reserve(shape) -> Result<void*> for the memory of the pixels.
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

// Takes `natural` for a field without a dtype; InvalidArgument where it cannot be converted to that of the field.
Status SettleConverted(SampleField& field, DType natural) {
  if (field.dtype == DType::kInvalid) field.dtype = natural;
  if (IsConvertible(natural, field.dtype)) return Status();
  return InvalidArgument("'", field.from, "' cannot be ", field.dtype, ", only ", natural,
                         " or what its numbers are converted to");
}

// Fields: "image", uint8 [height, width, channels]; "path"; "label", the number of the file's folder among all.
class ImageDecoder final : public RecordDecoder {
 public:
  ImageDecoder(const std::vector<std::string>& files, Compression compression, const SampleConfig& config)
      : files_(files),
        compression_(compression),
        skips_errors_(SkipsErrors(config)),
        listed_(TextsOption(config, "classes")),
        told_(TextsOption(config, kFolders)) {}

  Status AddField(SampleField& field) override {
    DF_TRY(AddKind(field));
    fields_.push_back(field);
    return Status();
  }

  std::string Warning() const override {
    const std::string same = listed_ ? "" : classes_.SameNames();
    if (same.empty()) return "";
    return StrCat("the folders ", same, " are two classes; 'classes: [...]' makes folders of one name one");
  }

  SampleOptions Settled() const override {
    const std::vector<std::string> folders = classes_.Folders();
    return folders.empty() ? SampleOptions() : SampleOptions{{std::string(kFolders), Join(folders, "\n") + "\n"}};
  }

  Status Decode(const Record& record, int64_t i, BatchBuilder& batch) const override {
    for (size_t f = 0; f < kinds_.size(); ++f) {
      switch (kinds_[f]) {
        case Kind::kImage:
          DF_TRY(DecodePixels(record, f, i, batch));
          break;
        case Kind::kPath:
          *batch.Row(f, i).data<std::string>() = record.path;
          break;
        case Kind::kLabel:
          DF_TRY(SetLabel(classes_.NumberOf(record.path), f, batch.Row(f, i)));
          break;
      }
    }
    return Status();
  }

 private:
  enum class Kind { kImage, kPath, kLabel };

  Status AddKind(SampleField& field) {
    if (field.from == "path") {
      kinds_.push_back(Kind::kPath);
      DF_TRY(SettleDType(field, {DType::kString}));
      return SettleShape(field, PartialShape::Scalar());
    }
    if (field.from == "label") {
      kinds_.push_back(Kind::kLabel);
      DF_TRY(SettleConverted(field, DType::kInt64));
      DF_ASSIGN(classes_, ImageClasses::Create(files_, listed_, told_));
      field.classes = classes_.names();
      return SettleShape(field, PartialShape::Scalar());
    }
    if (field.from != "image") {
      return InvalidArgument("there is no '", field.from, "': a file has 'image', 'label' and 'path'");
    }
    kinds_.push_back(Kind::kImage);
    DF_TRY(SettleConverted(field, DType::kUint8));
    if (!field.shape.known_rank()) DF_TRY(TakeFirstShape(field));
    if (field.shape.rank() != 3) return InvalidArgument("an image has a shape [height, width, channels]");
    channels_ = std::max(0, static_cast<int>(field.shape.dim(2)));
    if (channels_ > 4) return InvalidArgument("an image has at most 4 channels, not ", channels_);
    if (channels_ == 2) channels_ = 0;  // grey and alpha: files that hold them, nothing is made to
    return Status();
  }

  Status DecodePixels(const Record& record, size_t f, int64_t i, BatchBuilder& batch) const {
    const DType dtype = fields_[f].dtype;
    BatchBuilder::Room room;
    std::vector<char> pixels;  // memory for an image that is to be converted
    int64_t elements = 0;
    DF_TRY(DecodeImage(record.bytes, channels_, [&](const Shape& shape) -> Result<void*> {
      DF_ASSIGN(room, batch.Reserve(f, i, shape));
      if (dtype == DType::kUint8) return static_cast<void*>(room.bytes());
      elements = shape.num_elements();
      pixels.resize(static_cast<size_t>(elements));
      return static_cast<void*>(pixels.data());
    }));
    const auto failed = ConvertElements(DType::kUint8, pixels.data(), dtype, room.bytes(), elements);
    return failed ? InvalidArgument("the image has ", failed->text, ", which is no ", dtype) : Status();
  }

  Status SetLabel(int64_t number, size_t f, const BatchBuilder::Room& room) const {
    const DType dtype = fields_[f].dtype;
    if (!ConvertElements(DType::kInt64, &number, dtype, room.bytes(), 1)) return Status();
    return NoInput("the label ", number, " is no ", dtype, ": give '", fields_[f].from, "' another dtype");
  }

  // Takes the shape of the first image; if errors are skipped, of the first image without one.
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
  const std::optional<std::vector<std::string>> listed_;
  const std::optional<std::vector<std::string>> told_;
  ImageClasses classes_;     // only used by a field "label"
  std::vector<Kind> kinds_;  // by field
  std::vector<SampleField> fields_;
  int channels_ = 0;
};

Result<std::unique_ptr<SampleSource>> OpenImages(const SampleConfig& config) {
  DF_ASSIGN(std::vector<std::string> files, ExpandFiles(config.files));
  DF_ASSIGN(const Compression compression, CompressionOf(config));
  auto decoder = std::make_unique<ImageDecoder>(files, compression, config);
  return MakeRecordSource(config, std::move(files), WholeFiles(), std::move(decoder));
}

SAMPLE_FORMAT(SampleFormat{.name = "image",
                           .options = RecordOptions({{.name = "classes", .kind = SampleOption::Kind::kTexts}}),
                           .default_fields = {{"image", "image"}, {"label", "label"}, {"path", "path"}},
                           .open = &OpenImages});

}  // namespace
}  // namespace dfrun
