#include "src/framework/values/attr.h"

#include <algorithm>

namespace dfrun {
namespace {

template <class T>
struct IsList : std::false_type {};
template <class T>
struct IsList<std::vector<T>> : std::true_type {};

template <class T>
constexpr std::string_view ElementTypeName() {
  if constexpr (std::is_same_v<T, int64_t>) return "int";
  if constexpr (std::is_same_v<T, float>) return "float";
  if constexpr (std::is_same_v<T, bool>) return "bool";
  if constexpr (std::is_same_v<T, std::string>) return "string";
  if constexpr (std::is_same_v<T, DType>) return "type";
  if constexpr (std::is_same_v<T, PartialShape>) return "shape";
  if constexpr (std::is_same_v<T, Tensor>) return "tensor";
  if constexpr (std::is_same_v<T, FunctionName>) return "func";
  return "none";
}

std::string Quoted(const std::string& text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string out = "\"";
  for (unsigned char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += static_cast<char>(c);
    } else if (c < 0x20 || c == 0x7f) {
      out += "\\x";
      out += kHex[c >> 4];
      out += kHex[c & 15];
    } else {
      out += static_cast<char>(c);
    }
  }
  return out + '"';
}

std::string Print(std::monostate) {
  return "none";
}
std::string Print(int64_t v) {
  return std::to_string(v);
}
std::string Print(float v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.9g", static_cast<double>(v));
  return text;
}
std::string Print(bool v) {
  return v ? "true" : "false";
}
std::string Print(const std::string& v) {
  return Quoted(v);
}
std::string Print(DType v) {
  return std::string(DTypeName(v));
}
std::string Print(const PartialShape& v) {
  return v.ToString();
}
std::string Print(const Tensor& v) {
  return StrCat("<", v.ToString(16), ">");
}
std::string Print(const FunctionName& v) {
  return StrCat("func ", v.name);
}
template <class T>
std::string Print(const std::vector<T>& list) {
  std::string out = "[";
  for (size_t i = 0; i < list.size(); ++i) out += (i > 0 ? ", " : "") + Print(T(list[i]));
  return out + "]";
}

bool Same(const Tensor& a, const Tensor& b) {
  return a.Identical(b);
}
bool Same(const std::vector<Tensor>& a, const std::vector<Tensor>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Tensor& x, const Tensor& y) { return x.Identical(y); });
}
template <class T>
bool Same(const T& a, const T& b) {
  return a == b;
}

}  // namespace

AttrValue::AttrValue() = default;
AttrValue::AttrValue(const AttrValue& other) = default;
AttrValue::AttrValue(AttrValue&& other) noexcept = default;
AttrValue& AttrValue::operator=(const AttrValue& other) = default;
AttrValue& AttrValue::operator=(AttrValue&& other) noexcept = default;
AttrValue::~AttrValue() = default;

AttrValue::AttrValue(bool value) : value_(value) {}
AttrValue::AttrValue(int value) : value_(int64_t{value}) {}
AttrValue::AttrValue(int64_t value) : value_(value) {}
AttrValue::AttrValue(double value) : value_(static_cast<float>(value)) {}
AttrValue::AttrValue(const char* value) : value_(std::string(value)) {}
AttrValue::AttrValue(std::string value) : value_(std::move(value)) {}
AttrValue::AttrValue(std::string_view value) : value_(std::string(value)) {}
AttrValue::AttrValue(const Shape& value) : value_(PartialShape(value)) {}

AttrMap::AttrMap() = default;
AttrMap::AttrMap(std::initializer_list<Entry> entries) {
  entries_.reserve(entries.size());
  for (const Entry& e : entries) Set(e.first, e.second);
}
AttrMap::AttrMap(const AttrMap& other) = default;
AttrMap::AttrMap(AttrMap&& other) noexcept = default;
AttrMap& AttrMap::operator=(const AttrMap& other) = default;
AttrMap& AttrMap::operator=(AttrMap&& other) noexcept = default;
AttrMap::~AttrMap() = default;

bool AttrMap::operator==(const AttrMap& other) const {
  return entries_ == other.entries_;
}

Status AttrMap::Unfit(std::string_view name, const AttrValue* value) {
  if (value == nullptr) return InvalidArgument("attr '", name, "' is missing");
  return InvalidArgument("attr '", name, "' is ", value->TypeName(), " ", value->ToString(),
                         ", which is not the type asked for");
}

bool FunctionName::operator==(const FunctionName& other) const {
  return name == other.name && attrs == other.attrs;
}

std::string_view AttrValue::TypeName() const {
  return std::visit(
      [](const auto& v) -> std::string_view {
        using T = std::decay_t<decltype(v)>;
        if constexpr (!IsList<T>::value) {
          return ElementTypeName<T>();
        } else if constexpr (std::is_same_v<T, std::vector<int64_t>>) {
          return "list(int)";
        } else if constexpr (std::is_same_v<T, std::vector<float>>) {
          return "list(float)";
        } else if constexpr (std::is_same_v<T, std::vector<bool>>) {
          return "list(bool)";
        } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
          return "list(string)";
        } else if constexpr (std::is_same_v<T, std::vector<DType>>) {
          return "list(type)";
        } else if constexpr (std::is_same_v<T, std::vector<PartialShape>>) {
          return "list(shape)";
        } else if constexpr (std::is_same_v<T, std::vector<Tensor>>) {
          return "list(tensor)";
        } else {
          return "list(func)";
        }
      },
      value_);
}

std::string AttrValue::ToString() const {
  return std::visit([](const auto& v) { return Print(v); }, value_);
}

bool AttrValue::operator==(const AttrValue& other) const {
  if (value_.index() != other.value_.index()) return false;
  return std::visit([&](const auto& v) { return Same(v, std::get<std::decay_t<decltype(v)>>(other.value_)); }, value_);
}

void AttrMap::Set(std::string_view name, AttrValue value) {
  auto it = std::lower_bound(entries_.begin(), entries_.end(), name,
                             [](const Entry& e, std::string_view n) { return e.first < n; });
  if (it != entries_.end() && it->first == name) {
    it->second = std::move(value);
  } else {
    entries_.emplace(it, std::string(name), std::move(value));
  }
}

void AttrMap::Erase(std::string_view name) {
  std::erase_if(entries_, [&](const Entry& e) { return e.first == name; });
}

const AttrValue* AttrMap::Find(std::string_view name) const {
  for (const Entry& e : entries_) {
    if (e.first == name) return &e.second;
  }
  return nullptr;
}

}  // namespace dfrun
