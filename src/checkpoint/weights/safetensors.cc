// Files of safetensors. https://github.com/huggingface/safetensors#format
#include <algorithm>
#include <bit>

#include "src/base/byte_reader.h"
#include "src/base/file.h"
#include "src/base/json/json_reader.h"
#include "src/base/text.h"
#include "src/checkpoint/weights/weight_source.h"
#include "src/framework/values/true_bools.h"

namespace dfrun {
namespace {

constexpr uint64_t kMaxHeaderBytes = 100'000'000;
constexpr size_t kSizeBytes = 8;

static_assert(std::endian::native == std::endian::little, "the numbers of a file are read as they are");

uint64_t HeaderBytes(std::string_view begin) {
  uint64_t bytes = 0;
  ByteReader(begin).TakeNumber(kSizeBytes, bytes);
  return bytes;
}

DType DTypeOfSafetensors(std::string_view type) {
  static constexpr std::pair<std::string_view, DType> kTypes[] = {
      {"BOOL", DType::kBool},  {"U8", DType::kUint8},     {"I8", DType::kInt8},       {"U16", DType::kUint16},
      {"I16", DType::kInt16},  {"U32", DType::kUint32},   {"I32", DType::kInt32},     {"U64", DType::kUint64},
      {"I64", DType::kInt64},  {"F16", DType::kHalf},     {"BF16", DType::kBfloat16}, {"F32", DType::kFloat},
      {"F64", DType::kDouble}, {"C64", DType::kComplex64}};
  const auto* const found =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const auto& t) { return t.first == type; });
  return found == std::end(kTypes) ? DType::kInvalid : found->second;
}

class SafetensorsSource final : public WeightSource {
 public:
  explicit SafetensorsSource(FileDescriptor file)
      : WeightSource("the safetensors file " + file.path()), file_(std::move(file)) {}

  Status List() {
    DF_ASSIGN(const uint64_t size, file_.Size());
    std::string begin(kSizeBytes, '\0');
    DF_TRY(file_.ReadAt(0, begin.data(), begin.size()));
    const uint64_t header_bytes = HeaderBytes(begin);
    if (header_bytes > kMaxHeaderBytes || header_bytes > size - kSizeBytes)
      return Damaged(StrCat("its header claims ", header_bytes, " bytes"));
    std::string text(header_bytes, '\0');
    DF_TRY(file_.ReadAt(kSizeBytes, text.data(), text.size()));
    text.resize(text.find_last_not_of(' ') + 1);
    const Result<JsonValue> header = ParseJson(text);
    if (!header.ok() || !header->is_object()) return Damaged("its header is no JSON");
    data_at_ = kSizeBytes + header_bytes;
    data_bytes_ = size - data_at_;
    for (size_t i = 0; i < header->names().size(); ++i) {
      if (header->names()[i] != "__metadata__") DF_TRY(Add(header->names()[i], header->values()[i]));
    }
    return CheckCovered();
  }

  Result<Tensor> Read(size_t entry) override {
    const auto& [begin, end] = ranges_[entry];
    DF_ASSIGN(Tensor value, Tensor::Allocate(SystemAllocator(), entries_[entry].dtype, entries_[entry].shape));
    DF_TRY(file_.ReadAt(data_at_ + begin, value.raw(), end - begin));
    MakeTrueBools(value);
    return value;
  }

 private:
  Status Damaged(const std::string& why) const {
    return Error(Code::kDataLoss, file_.path(), " is a damaged safetensors file: ", why);
  }

  static Result<std::vector<int64_t>> Numbers(const JsonValue& object, std::string_view name) {
    const JsonValue* const list = object.Find(name);
    if (list == nullptr || list->kind() != JsonValue::Kind::kArray) return Error(Code::kDataLoss, "");
    std::vector<int64_t> numbers;
    for (const JsonValue& value : list->values()) {
      DF_ASSIGN(const int64_t number, value.AsInt());
      if (number < 0) return Error(Code::kDataLoss, "");
      numbers.push_back(number);
    }
    return numbers;
  }

  Status Add(const std::string& name, const JsonValue& tensor) {
    const Result<std::string> type = tensor.GetText("dtype");
    const Result<std::vector<int64_t>> dims = Numbers(tensor, "shape");
    const Result<std::vector<int64_t>> range = Numbers(tensor, "data_offsets");
    if (!type.ok() || !dims.ok() || !range.ok() || range->size() != 2)
      return Damaged(StrCat("its header says of '", name, "' no dtype, shape and data_offsets"));
    const Result<Shape> shape = Shape::Create(*dims);
    const auto begin = static_cast<uint64_t>((*range)[0]);
    const auto end = static_cast<uint64_t>((*range)[1]);
    if (!shape.ok() || begin > end || end > data_bytes_)
      return Damaged(StrCat("'", name, "' would lie at bytes ", begin, " to ", end, " of ", data_bytes_));
    Entry entry{.name = name, .dtype = DTypeOfSafetensors(*type), .type = *type, .shape = *shape};
    const uint64_t bytes = end - begin;
    if (entry.dtype != DType::kInvalid && !IsSizeOf(entry.dtype, *shape, bytes))
      return Damaged(StrCat("'", name, "' of shape ", *shape, " has ", bytes, " bytes"));
    entries_.push_back(std::move(entry));
    ranges_.emplace_back(begin, end);
    return Status();
  }

  // All bytes belong to one tensor each: a file that has holes was changed.
  Status CheckCovered() const {
    std::vector<std::pair<uint64_t, uint64_t>> sorted = ranges_;
    std::sort(sorted.begin(), sorted.end());
    uint64_t at = 0;
    for (const auto& [begin, end] : sorted) {
      if (begin != at)
        return Damaged(
            StrCat("bytes ", std::min(at, begin), " to ", std::max(at, begin), " are of no tensor, or of two"));
      at = end;
    }
    return at == data_bytes_ ? Status() : Damaged(StrCat("bytes ", at, " to ", data_bytes_, " are of no tensor"));
  }

  const FileDescriptor file_;
  uint64_t data_at_ = 0;
  uint64_t data_bytes_ = 0;
  std::vector<std::pair<uint64_t, uint64_t>> ranges_;  // begin and end in the data, by entry
};

// Such a file has no mark of its own: a length that fits, and JSON.
bool IsSafetensors(const FileHead& file) {
  constexpr size_t kBegin = kSizeBytes + 2;
  return file.bytes.size() >= kBegin && file.bytes[kSizeBytes] == '{' && HeaderBytes(file.bytes) <= kMaxHeaderBytes &&
         (file.bytes[kSizeBytes + 1] == '"' || file.bytes[kSizeBytes + 1] == '}' ||
          file.path.ends_with(".safetensors"));
}

Result<std::unique_ptr<WeightSource>> OpenSafetensors(const std::string& path) {
  DF_ASSIGN(FileDescriptor file, FileDescriptor::OpenForReading(path));
  auto source = std::make_unique<SafetensorsSource>(std::move(file));
  DF_TRY(source->List());
  return std::unique_ptr<WeightSource>(std::move(source));
}

WEIGHT_FORMAT("safetensors", {.what = "a safetensors file", .recognizes = &IsSafetensors, .open = &OpenSafetensors});

}  // namespace
}  // namespace dfrun
