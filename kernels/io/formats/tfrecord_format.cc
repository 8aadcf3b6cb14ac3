// tfrecord: files of TFRecord, each record an Example or SequenceExample message, or a string of its own.
#include <algorithm>
#include <array>

#include "kernels/io/convert_elements.h"
#include "kernels/io/formats/raw_decoder.h"
#include "kernels/parsing/example_wire.h"
#include "src/base/text.h"
#include "src/framework/op/op.h"

namespace dfrun {
namespace {

constexpr std::string_view kRecord = "record";  // without a dtype: the record itself
constexpr std::string_view kWholeRecord;        // the name of the record from then on: no feature has an empty name
constexpr size_t kFewFields = 16;               // features that are found without an allocation

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
    if (field.dtype != DType::kString && !IsPlain(field.dtype)) {
      return InvalidArgument("a feature cannot be ", field.dtype);
    }
    Add(Kind::kFeature, field);
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
    bool is_whole = true;
    for (size_t f = 0; f < parts_.size(); ++f) {
      if (IsAbsent(found[f], f)) {
        is_whole = false;
      } else {
        DF_TRY(DecodePart(record, found[f], f, i, batch));
      }
    }
    return is_whole ? Status() : DecodeAbsent(record, found, i, batch);
  }

 private:
  enum class Kind { kRecord, kFeature };
  struct Part {
    Kind kind;
    SampleField field;
    int64_t elements;  // size of the field; -1: not known before the sample is
  };

  void Add(Kind kind, const SampleField& field) {
    keys_.push_back(field.from);
    parts_.push_back({kind, field, field.shape.num_elements()});
  }

  // The conversion of a feature's values to those of a field.
  enum class Way { kNone, kCopy, kConvert, kBytes };
  static Way WayOf(DType stored, DType wanted) {
    if (stored == wanted) return Way::kCopy;
    const bool is_listed = wanted == DType::kFloat || wanted == DType::kInt64;  // then strings hold none
    if (stored == DType::kString) return is_listed ? Way::kNone : Way::kBytes;
    // The fraction of a float is nothing to lose without a word.
    const bool converts = IsConvertible(stored, wanted) && (stored == DType::kInt64 || IsFloating(wanted));
    return converts ? Way::kConvert : Way::kNone;
  }

  // One size may be unknown, the first: the number of values gives it. Of a feature list that is the number of steps,
  // and the next may be unknown too.
  static Status CheckSizes(const SampleField& field) {
    for (int axis = 2; axis < field.shape.rank(); ++axis) {
      if (field.shape.dim(axis) < 0) {
        return InvalidArgument("the feature '", field.from, "' of shape ", field.shape,
                               ": only the first size may be unknown, and of a feature list the second");
      }
    }
    return Status();
  }

  // True if the feature is not among those of the message, or of its context.
  bool IsAbsent(const WireFeature& feature, size_t f) const {
    return parts_[f].kind != Kind::kRecord && feature.dtype == DType::kInvalid;
  }

  // Decodes the fields that are not among the features: from the feature lists of a SequenceExample, or as missing
  // ones.
  Status DecodeAbsent(const Record& record, std::span<const WireFeature> found, int64_t i, BatchBuilder& batch) const {
    std::vector<WireFeatureList> lists(parts_.size());
    std::string canonical;
    if (!FindWireFeatureLists(record.bytes, keys_, lists) &&
        !(CanonicalSequenceExample(record.bytes, canonical) && FindWireFeatureLists(canonical, keys_, lists))) {
      return Error(Code::kDataLoss, "it is no Example or SequenceExample message");
    }
    for (size_t f = 0; f < parts_.size(); ++f) {
      if (!IsAbsent(found[f], f)) continue;
      DF_TRY(lists[f].is_there ? DecodeList(lists[f].steps, f, i, batch) : Missing(record, f, i, batch));
    }
    return Status();
  }

  // Decodes the values of all steps; those of shorter steps are padded where their number may differ.
  Status DecodeList(const std::vector<WireFeature>& steps, size_t f, int64_t i, BatchBuilder& batch) const {
    const Part& part = parts_[f];
    if (part.field.shape.rank() == 0) {
      return InvalidArgument("'", part.field.from, "' is a feature list of ", steps.size(),
                             " steps: its shape begins with their number, [-1] for any");
    }
    DF_ASSIGN(const PartialShape of_step, ShapeOfSteps(steps, part));
    std::vector<int64_t> dims = {static_cast<int64_t>(steps.size())};
    dims.insert(dims.end(), of_step.dims().begin(), of_step.dims().end());
    DF_ASSIGN(const Shape shape, Shape::Create(dims));
    DF_ASSIGN(BatchBuilder::Room room, batch.Reserve(f, i, shape));
    DF_TRY(FillWithFallback(part.field, *room.tensor, room.at, shape.num_elements()));
    for (const WireFeature& step : steps) {
      DF_TRY(Copy(part.field, step, room));
      room.at += of_step.num_elements();
    }
    return Status();
  }

  // Elements of the field's dtype in a feature; an error where it cannot have them.
  static Result<int64_t> ElementsOf(const WireFeature& feature, const Part& part) {
    const SampleField& field = part.field;
    const Way way = WayOf(feature.dtype, field.dtype);
    if (way == Way::kNone) {
      return InvalidArgument("the feature '", field.from, "' is ", feature.dtype, ", but ", field.dtype, " is expected",
                             feature.dtype == DType::kFloat ? "; read it as float32, and convert it by Cast" : "");
    }
    if (way != Way::kBytes) return feature.values;
    if (feature.values != 1) {
      return InvalidArgument("the feature '", field.from, "' has ", feature.values, " strings in place of one");
    }
    const size_t bytes = OnlyString(feature).size();
    const size_t element = DTypeSize(field.dtype);
    if (bytes % element == 0) return static_cast<int64_t>(bytes / element);
    return InvalidArgument("the feature '", field.from, "' has ", bytes, " bytes, no whole number of ", field.dtype);
  }

  static Status Copy(const SampleField& field, const WireFeature& feature, const BatchBuilder::Room& room) {
    if (feature.dtype == DType::kInvalid) return Status();  // a step without values
    switch (WayOf(feature.dtype, field.dtype)) {
      case Way::kBytes:
        room.Fill(OnlyString(feature));
        return Status();
      case Way::kConvert:
        return Convert(field, feature, room);
      default:
        break;
    }
    if (field.dtype == DType::kFloat) CopyFloats(feature, room.data<float>());
    if (field.dtype == DType::kInt64) CopyInt64s(feature, room.data<int64_t>());
    if (field.dtype == DType::kString) CopyStrings(feature, room.data<std::string>());
    return Status();
  }

  static Status Convert(const SampleField& field, const WireFeature& feature, const BatchBuilder::Room& room) {
    const auto values = static_cast<size_t>(feature.values);
    std::vector<float> floats(feature.dtype == DType::kFloat ? values : 0);
    std::vector<int64_t> integers(feature.dtype == DType::kInt64 ? values : 0);
    if (!floats.empty()) CopyFloats(feature, floats.data());
    if (!integers.empty()) CopyInt64s(feature, integers.data());
    const void* const from = floats.empty() ? static_cast<const void*>(integers.data()) : floats.data();
    const auto failed = ConvertElements(feature.dtype, from, field.dtype, room.bytes(), feature.values);
    if (!failed) return Status();
    return InvalidArgument("the feature '", field.from, "' has ", failed->text, ", which is no ", field.dtype);
  }

  // The shape that has room for every step.
  static Result<PartialShape> ShapeOfSteps(const std::vector<WireFeature>& steps, const Part& part) {
    PartialShape shape(std::vector<int64_t>(part.field.shape.dims().begin() + 1, part.field.shape.dims().end()));
    const bool is_variable = shape.rank() > 0 && shape.dim(0) < 0;
    int64_t longest = 0;
    for (size_t s = 0; s < steps.size(); ++s) {
      int64_t elements = 0;
      if (steps[s].dtype != DType::kInvalid) {
        DF_ASSIGN(elements, ElementsOf(steps[s], part));
      }
      const Result<Shape> of_step = ShapeOf(shape, elements);
      if (!of_step.ok()) {
        return InvalidArgument("step ", s, " of the feature list '", part.field.from, "' has ", elements,
                               " values; the shape is ", part.field.shape);
      }
      if (is_variable) longest = std::max(longest, (*of_step)[0]);
    }
    if (is_variable) shape.set_dim(0, longest);
    return shape;
  }

  Status DecodePart(const Record& record, const WireFeature& feature, size_t f, int64_t i, BatchBuilder& batch) const {
    const Part& part = parts_[f];
    if (part.kind == Kind::kRecord) {
      batch.Row(f, i).data<std::string>()->assign(record.bytes);
      return Status();
    }
    DF_ASSIGN(const int64_t elements, ElementsOf(feature, part));
    DF_ASSIGN(const BatchBuilder::Room room, RoomFor(elements, f, i, batch));
    return Copy(part.field, feature, room);
  }

  // The room for the value of a field that has so many elements.
  Result<BatchBuilder::Room> RoomFor(int64_t elements, size_t f, int64_t i, BatchBuilder& batch) const {
    if (elements == parts_[f].elements) return batch.Row(f, i);
    const SampleField& field = parts_[f].field;
    const Result<Shape> shape = ShapeOf(field.shape, elements);
    if (shape.ok()) return batch.Reserve(f, i, *shape);
    return InvalidArgument("the feature '", field.from, "' has ", elements, " values; its shape is ", field.shape);
  }

  Status Missing(const Record& record, size_t f, int64_t i, BatchBuilder& batch) const {
    const SampleField& field = parts_[f].field;
    const bool is_variable = field.shape.rank() > 0 && field.shape.dim(0) < 0;
    if (!is_variable && !field.fallback) return NameMissing(record, field.from);
    PartialShape shape = field.shape;
    for (int axis = 0; axis < shape.rank(); ++axis) {
      if (shape.dim(axis) < 0) shape.set_dim(axis, 0);
    }
    DF_ASSIGN(const Shape known, shape.ToShape());
    DF_ASSIGN(const BatchBuilder::Room room, batch.Reserve(f, i, known));
    return FillWithFallback(field, *room.tensor, room.at, known.num_elements());
  }

  static Status NameMissing(const Record& record, const std::string& feature) {
    constexpr size_t kMaxNames = 50;
    std::vector<std::string> names = FeatureNames(record.bytes);
    const std::string near = Nearest(feature, names);
    const char* const more = names.size() > kMaxNames ? ", ..." : "";
    names.resize(std::min(names.size(), kMaxNames));
    return InvalidArgument("the feature '", feature, "' is missing",
                           near.empty() ? "" : StrCat(", did you mean '", near, "'?"),
                           names.empty() ? "; the record has no features" : "; the record has ", Join(names), more);
  }

  // A size of -1, the first, from the number of values. An error where they do not fill the shape.
  static Result<Shape> ShapeOf(PartialShape shape, int64_t values) {
    int64_t stride = 1;
    const bool is_variable = shape.rank() > 0 && shape.dim(0) < 0;
    for (int axis = is_variable ? 1 : 0; axis < shape.rank(); ++axis) stride *= shape.dim(axis);
    if (is_variable && stride > 0 && values % stride == 0) shape.set_dim(0, values / stride);
    if (!shape.IsFullyDefined() || shape.num_elements() != values) {
      return InvalidArgument(values, " values do not fill ", shape);
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
