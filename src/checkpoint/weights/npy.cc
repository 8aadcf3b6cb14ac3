#include "src/checkpoint/weights/npy.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "src/base/byte_reader.h"
#include "src/base/text.h"
#include "src/framework/values/true_bools.h"

namespace dfrun {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kShortPrefix = 10;  // magic, version, the length in two bytes
constexpr size_t kLongPrefix = 12;   // the length in four
constexpr int kMaxRank = 64;

Status NoHeader(const std::string& why) {
  return Error(Code::kDataLoss, "its NumPy header is damaged: ", why);
}

// Reads a dictionary as Python writes it: texts, bools, and a tuple of whole numbers.
class Dictionary {
 public:
  explicit Dictionary(std::string_view text) : text_(text) {}

  void SkipBlanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool Take(std::string_view what) {
    SkipBlanks();
    if (text_.substr(at_, what.size()) != what) return false;
    at_ += what.size();
    return true;
  }
  std::optional<std::string> Text() {
    SkipBlanks();
    if (at_ >= text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return {};
    const size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) return {};
    std::string text(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return text;
  }
  std::optional<int64_t> Number() {
    SkipBlanks();
    const size_t end = std::min(text_.find_first_not_of("0123456789", at_), text_.size());
    const std::optional<int64_t> number = ParseAs<int64_t>(text_.substr(at_, end - at_));
    if (number) at_ = end;
    return number;
  }
  // The text of a value whose form is another: up to what ends it outside of brackets.
  std::string Rest() {
    SkipBlanks();
    const size_t begin = at_;
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      const char c = text_[at_];
      if (depth == 0 && (c == ',' || c == '}')) break;
      if (c == '(' || c == '[') ++depth;
      if (c == ')' || c == ']') --depth;
    }
    return std::string(text_.substr(begin, at_ - begin));
  }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

std::optional<Shape> TakeShape(Dictionary& from) {
  if (!from.Take("(")) return {};
  std::vector<int64_t> dims;
  while (!from.Take(")")) {
    const std::optional<int64_t> dim = from.Number();
    if (!dim || dims.size() == kMaxRank) return {};
    dims.push_back(*dim);
    from.Take("L");  // Python 2 wrote it
    if (!from.Take(",")) {
      if (!from.Take(")")) return {};
      break;
    }
  }
  const Result<Shape> shape = Shape::Create(dims);
  return shape.ok() ? std::optional<Shape>(*shape) : std::nullopt;
}

// The dtype of NumPy's name without the order of its bytes.
DType DTypeOfNumPy(std::string_view type) {
  static constexpr std::pair<std::string_view, DType> kTypes[] = {
      {"f2", DType::kHalf},      {"f4", DType::kFloat},      {"f8", DType::kDouble}, {"i1", DType::kInt8},
      {"i2", DType::kInt16},     {"i4", DType::kInt32},      {"i8", DType::kInt64},  {"u1", DType::kUint8},
      {"u2", DType::kUint16},    {"u4", DType::kUint32},     {"u8", DType::kUint64}, {"b1", DType::kBool},
      {"c8", DType::kComplex64}, {"c16", DType::kComplex128}};
  const auto* const found =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const auto& t) { return t.first == type; });
  return found == std::end(kTypes) ? DType::kInvalid : found->second;
}

void SetType(const std::string& type, NpyHeader& header) {
  header.type = type;
  if (type.empty()) return;
  const bool has_order = std::string_view("<>|=").find(type[0]) != std::string_view::npos;
  header.dtype = DTypeOfNumPy(std::string_view(type).substr(has_order ? 1 : 0));
  constexpr bool kIsLittle = std::endian::native == std::endian::little;
  header.is_swapped = type[0] == (kIsLittle ? '>' : '<') && header.dtype != DType::kInvalid;
}

// The bytes of one number: of a complex element each of its two.
size_t BytesOfNumber(DType dtype) {
  return IsComplex(dtype) ? DTypeSize(dtype) / 2 : DTypeSize(dtype);
}

// Copies from an order of indices in which the first runs fastest.
void CopyTransposed(const Shape& shape, size_t bytes, const char* from, char* to) {
  const int rank = shape.rank();
  std::vector<int64_t> index(static_cast<size_t>(rank), 0);
  std::vector<int64_t> strides(static_cast<size_t>(rank), 1);
  for (int i = 1; i < rank; ++i) strides[static_cast<size_t>(i)] = strides[static_cast<size_t>(i) - 1] * shape[i - 1];
  const int64_t count = shape.num_elements();
  int64_t at = 0;
  for (int64_t element = 0; element < count; ++element) {
    std::memcpy(to + static_cast<size_t>(element) * bytes, from + static_cast<size_t>(at) * bytes, bytes);
    for (int i = rank - 1; i >= 0; --i) {
      const auto k = static_cast<size_t>(i);
      at += strides[k];
      if (++index[k] < shape[i]) break;
      at -= strides[k] * shape[i];
      index[k] = 0;
    }
  }
}

}  // namespace

Result<size_t> NpyHeaderBytes(std::string_view begin) {
  if (begin.size() < kLongPrefix || !begin.starts_with(kMagic)) return NoHeader("it does not begin with \\x93NUMPY");
  ByteReader from(begin.substr(kMagic.size()));
  uint64_t version = 0;
  uint64_t minor = 0;
  uint64_t length = 0;
  from.TakeNumber(1, version);
  from.TakeNumber(1, minor);
  if (version < 1 || version > 3) return NoHeader(StrCat("its version is ", version));
  from.TakeNumber(version == 1 ? 2 : 4, length);
  const size_t size = (version == 1 ? kShortPrefix : kLongPrefix) + length;
  if (size > kMaxNpyHeader) return NoHeader(StrCat("it claims ", size, " bytes"));
  return size;
}

Result<NpyHeader> ParseNpyHeader(std::string_view bytes) {
  DF_ASSIGN(const size_t size, NpyHeaderBytes(bytes));
  if (size > bytes.size()) return NoHeader("it is cut short");
  NpyHeader header;
  header.bytes = size;
  const size_t prefix = bytes[kMagic.size()] == 1 ? kShortPrefix : kLongPrefix;
  Dictionary dictionary(bytes.substr(prefix, size - prefix));
  if (!dictionary.Take("{")) return NoHeader("it holds no dictionary");
  bool has_type = false;
  bool has_order = false;
  std::optional<Shape> shape;
  while (!dictionary.Take("}")) {
    const std::optional<std::string> key = dictionary.Text();
    if (!key || !dictionary.Take(":")) return NoHeader("it holds no dictionary");
    if (*key == "descr") {
      const std::optional<std::string> type = dictionary.Text();
      SetType(type ? *type : dictionary.Rest(), header);
      has_type = true;
    } else if (*key == "fortran_order") {
      header.is_fortran = dictionary.Take("True");
      has_order = header.is_fortran || dictionary.Take("False");
    } else if (*key == "shape") {
      shape = TakeShape(dictionary);
    } else {
      return NoHeader(StrCat("it has the key '", *key, "'"));
    }
    if (!dictionary.Take(",") && !dictionary.Take("}")) return NoHeader("it holds no dictionary");
    if (has_type && has_order && shape) break;
  }
  if (!has_type || !has_order || !shape) return NoHeader("it lacks the type, the order or the shape");
  header.shape = *shape;
  return header;
}

Result<Tensor> TensorOfNpy(const NpyHeader& header, std::string_view raw) {
  DF_ASSIGN(Tensor value, Tensor::Allocate(SystemAllocator(), header.dtype, header.shape));
  if (value.num_bytes() != raw.size()) return NoHeader("its values have another number of bytes than its shape");
  auto* const to = static_cast<char*>(value.raw());
  if (header.is_fortran && header.shape.rank() > 1) {
    CopyTransposed(header.shape, DTypeSize(header.dtype), raw.data(), to);
  } else {
    std::memcpy(to, raw.data(), raw.size());
  }
  const size_t bytes = BytesOfNumber(header.dtype);
  if (header.is_swapped && bytes > 1) {
    for (char* number = to; number < to + raw.size(); number += bytes) std::reverse(number, number + bytes);
  }
  MakeTrueBools(value);
  return value;
}

}  // namespace dfrun
