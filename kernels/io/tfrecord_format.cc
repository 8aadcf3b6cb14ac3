// tfrecord: files of TFRecord, each record an Example message, or a string of its own.
#include <cstring>
#include <limits>

#include "kernels/io/raw_decoder.h"
#include "kernels/parsing/example_features.h"

namespace dfrun {
namespace {

constexpr std::string_view kRecord = "record";  // the field that is the record itself

class ExampleDecoder final : public RecordDecoder {
 public:
  Status AddField(SampleField& field) override {
    if (field.from == kRecord && field.dtype == DType::kInvalid) {
      DF_TRY(SettleDType(field, {DType::kString}));
      DF_TRY(SettleShape(field, PartialShape::Scalar()));
      parts_.push_back({Kind::kRecord, field});
      return Status();
    }
    if (field.dtype == DType::kInvalid) {
      return InvalidArgument("the feature '", field.from, "' needs a dtype: {dtype: float32, shape: [...]}");
    }
    if (!field.shape.known_rank()) field.shape = PartialShape::Scalar();
    DF_TRY(CheckSizes(field));
    const bool is_list = field.dtype == DType::kFloat || field.dtype == DType::kInt64 || field.dtype == DType::kString;
    if (!is_list && !IsPlain(field.dtype)) return InvalidArgument("a feature cannot be ", field.dtype);
    parts_.push_back({is_list ? Kind::kList : Kind::kBytes, field});
    needs_message_ = true;
    return Status();
  }

  Status Decode(const Record& record, int64_t i, BatchBuilder& batch) const override {
    proto::Example example;
    const bool is_short = record.bytes.size() <= static_cast<size_t>(std::numeric_limits<int>::max());
    if (needs_message_ &&
        !(is_short && example.ParseFromArray(record.bytes.data(), static_cast<int>(record.bytes.size())))) {
      return Error(Code::kDataLoss, "it is no Example message");
    }
    for (size_t f = 0; f < parts_.size(); ++f) DF_TRY(DecodePart(record, example, f, i, batch));
    return Status();
  }

 private:
  enum class Kind { kRecord, kList, kBytes };
  struct Part {
    Kind kind;
    SampleField field;
  };

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

  Status DecodePart(const Record& record, const proto::Example& example, size_t f, int64_t i,
                    BatchBuilder& batch) const {
    const Part& part = parts_[f];
    if (part.kind == Kind::kRecord) {
      DF_ASSIGN(const BatchBuilder::Room room, batch.Place(f, i, Shape()));
      room.data<std::string>()->assign(record.bytes);
      return Status();
    }
    const DType stored = part.kind == Kind::kBytes ? DType::kString : part.field.dtype;
    DF_ASSIGN(const FeatureValues values, FeatureValues::Find(example, part.field.from, stored));
    if (!values.present()) return Missing(f, i, batch);
    if (part.kind == Kind::kBytes) return DecodeBytes(values, f, i, batch);
    DF_ASSIGN(const Shape shape, ShapeOf(part.field, values.size()));
    DF_ASSIGN(const BatchBuilder::Room room, batch.Place(f, i, shape));
    values.CopyTo(*room.tensor, room.at);
    return Status();
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
  Status DecodeBytes(const FeatureValues& values, size_t f, int64_t i, BatchBuilder& batch) const {
    const SampleField& field = parts_[f].field;
    if (values.size() != 1) {
      return InvalidArgument("the feature '", field.from, "' has ", values.size(), " strings in place of one");
    }
    Tensor bytes(DType::kString, Shape());
    values.CopyTo(bytes, 0);
    const std::string& text = bytes.scalar<std::string>();
    const size_t element = DTypeSize(field.dtype);
    if (text.size() % element != 0) {
      return InvalidArgument("the feature '", field.from, "' has ", text.size(), " bytes, no whole number of ",
                             field.dtype);
    }
    DF_ASSIGN(const Shape shape, ShapeOf(field, static_cast<int64_t>(text.size() / element)));
    DF_ASSIGN(const BatchBuilder::Room room, batch.Place(f, i, shape));
    std::memcpy(room.bytes(), text.data(), text.size());
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
