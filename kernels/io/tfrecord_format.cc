// tfrecord: files of TFRecord, each record an Example message, or a string of its own.
#include <array>

#include "kernels/io/raw_decoder.h"
#include "kernels/parsing/example_wire.h"

namespace dfrun {
namespace {

constexpr std::string_view kRecord = "record";  // without a dtype: the record itself
constexpr std::string_view kWholeRecord;        // what that is called from then on: no feature has an empty name
constexpr size_t kFewFields = 16;               // whose features are found without an allocation

class ExampleDecoder final : public RecordDecoder {
 public:
  Status AddField(SampleField& field) override {
    if (field.from == kWholeRecord || (field.from == kRecord && field.dtype == DType::kInvalid)) {
      field.from = kWholeRecord;
      DF_TRY(SettleDType(field, {DType::kString}));
      DF_TRY(SettleShape(field, PartialShape::Scalar()));
      Add(Kind::kRecord, field);
      return Status();
    }
    if (field.dtype == DType::kInvalid) {
      return InvalidArgument("the feature '", field.from, "' needs a dtype: {dtype: float32, shape: [...]}");
    }
    if (!field.shape.known_rank()) field.shape = PartialShape::Scalar();
    DF_TRY(CheckSizes(field));
    const bool is_list = field.dtype == DType::kFloat || field.dtype == DType::kInt64 || field.dtype == DType::kString;
    if (!is_list && !IsPlain(field.dtype)) return InvalidArgument("a feature cannot be ", field.dtype);
    Add(is_list ? Kind::kList : Kind::kBytes, field);
    needs_message_ = true;
    return Status();
  }

  bool IsCopy() const override { return true; }

  Status Decode(const Record& record, int64_t i, BatchBuilder& batch) const override {
    std::array<WireFeature, kFewFields> few;
    std::vector<WireFeature> many(parts_.size() > kFewFields ? parts_.size() : 0);
    const std::span<WireFeature> found =
        many.empty() ? std::span(few).first(parts_.size()) : std::span<WireFeature>(many);
    std::string canonical;
    if (needs_message_ && !FindWireFeatures(record.bytes, keys_, found) &&
        !(CanonicalExample(record.bytes, canonical) && FindWireFeatures(canonical, keys_, found))) {
      return Error(Code::kDataLoss, "it is no Example message");
    }
    for (size_t f = 0; f < parts_.size(); ++f) DF_TRY(DecodePart(record, found[f], f, i, batch));
    return Status();
  }

 private:
  enum class Kind { kRecord, kList, kBytes };
  struct Part {
    Kind kind;
    SampleField field;
    DType stored;      // of the feature
    int64_t elements;  // of the field; -1: not known before the sample is
  };

  void Add(Kind kind, const SampleField& field) {
    keys_.push_back(field.from);
    parts_.push_back({kind, field, kind == Kind::kBytes ? DType::kString : field.dtype, field.shape.num_elements()});
  }

  // One size may be unknown, the first: the number of values gives it.
  static Status CheckSizes(const SampleField& field) {
    for (int axis = 1; axis < field.shape.rank(); ++axis) {
      if (field.shape.dim(axis) < 0) {
        return InvalidArgument("the feature '", field.from, "' of shape ", field.shape,
                               ": only the first size may be unknown");
      }
    }
    return Status();
  }

  Status DecodePart(const Record& record, const WireFeature& feature, size_t f, int64_t i, BatchBuilder& batch) const {
    const Part& part = parts_[f];
    if (part.kind == Kind::kRecord) {
      batch.Row(f, i).data<std::string>()->assign(record.bytes);
      return Status();
    }
    if (feature.dtype == DType::kInvalid) return Missing(f, i, batch);
    if (feature.dtype != part.stored) {
      return InvalidArgument("the feature '", part.field.from, "' is ", feature.dtype, ", but ", part.stored,
                             " is expected");
    }
    if (part.kind == Kind::kBytes) return DecodeBytes(feature, f, i, batch);
    DF_ASSIGN(const BatchBuilder::Room room, RoomFor(feature.values, f, i, batch));
    if (part.stored == DType::kFloat) CopyFloats(feature, room.data<float>());
    if (part.stored == DType::kInt64) CopyInt64s(feature, room.data<int64_t>());
    if (part.stored == DType::kString) CopyStrings(feature, room.data<std::string>());
    return Status();
  }

  // For the value of a field that has so many elements.
  Result<BatchBuilder::Room> RoomFor(int64_t elements, size_t f, int64_t i, BatchBuilder& batch) const {
    if (elements == parts_[f].elements) return batch.Row(f, i);
    DF_ASSIGN(const Shape shape, ShapeOf(parts_[f].field, elements));
    return batch.Place(f, i, shape);
  }

  Status Missing(size_t f, int64_t i, BatchBuilder& batch) const {
    const SampleField& field = parts_[f].field;
    const bool is_variable = field.shape.rank() > 0 && field.shape.dim(0) < 0;
    if (!is_variable && !field.fallback) return InvalidArgument("the feature '", field.from, "' is missing");
    PartialShape shape = field.shape;
    if (is_variable) shape.set_dim(0, 0);
    DF_ASSIGN(const Shape known, shape.ToShape());
    DF_ASSIGN(const BatchBuilder::Room room, batch.Place(f, i, known));
    return FillWithFallback(field, *room.tensor, room.at, known.num_elements());
  }

  // The elements as the bytes of one string.
  Status DecodeBytes(const WireFeature& feature, size_t f, int64_t i, BatchBuilder& batch) const {
    const SampleField& field = parts_[f].field;
    if (feature.values != 1) {
      return InvalidArgument("the feature '", field.from, "' has ", feature.values, " strings in place of one");
    }
    const std::string_view text = OnlyString(feature);
    const size_t element = DTypeSize(field.dtype);
    if (text.size() % element != 0) {
      return InvalidArgument("the feature '", field.from, "' has ", text.size(), " bytes, no whole number of ",
                             field.dtype);
    }
    DF_ASSIGN(const BatchBuilder::Room room, RoomFor(static_cast<int64_t>(text.size() / element), f, i, batch));
    room.Fill(text);
    return Status();
  }

  static Result<Shape> ShapeOf(const SampleField& field, int64_t values) {
    PartialShape shape = field.shape;
    int64_t stride = 1;
    const bool is_variable = shape.rank() > 0 && shape.dim(0) < 0;
    for (int axis = is_variable ? 1 : 0; axis < shape.rank(); ++axis) stride *= shape.dim(axis);
    if (is_variable && stride > 0 && values % stride == 0) shape.set_dim(0, values / stride);
    if (!shape.IsFullyDefined() || shape.num_elements() != values) {
      return InvalidArgument("the feature '", field.from, "' has ", values, " values; its shape is ", field.shape);
    }
    return shape.ToShape();
  }

  std::vector<Part> parts_;
  std::vector<std::string> keys_;  // by part
  bool needs_message_ = false;
};

Result<std::unique_ptr<SampleSource>> OpenTfRecord(const SampleConfig& config) {
  DF_ASSIGN(std::vector<std::string> files, ExpandFiles(config.files));
  return MakeRecordSource(config, std::move(files), TfRecords(), std::make_unique<ExampleDecoder>());
}

SAMPLE_FORMAT(SampleFormat{
    .name = "tfrecord", .options = RecordOptions({}), .default_fields = {{"record", "record"}}, .open = &OpenTfRecord});

}  // namespace
}  // namespace dfrun
