#include "src/base/json/json_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "src/base/json/json.h"
#include "src/base/text.h"

namespace dfrun {
namespace {

constexpr const char* kKinds[] = {"null", "a bool", "a number", "a text", "an array", "an object"};

}  // namespace

JsonValue JsonValue::Int(int64_t value) {
  return Text(std::to_string(value));
}

JsonValue JsonValue::Double(double value) {
  if (std::isnan(value)) return Text("nan");
  if (std::isinf(value)) return Text(value < 0 ? "-inf" : "inf");
  char digits[32];
  const std::to_chars_result end = std::to_chars(digits, digits + sizeof digits, value);
  return Text(std::string(digits, end.ptr));
}

JsonValue& JsonValue::Set(std::string_view name, JsonValue value) {
  const auto at = std::find(names_.begin(), names_.end(), name) - names_.begin();
  if (at == static_cast<std::ptrdiff_t>(names_.size())) {
    return Append(std::string(name), std::move(value));
  }
  values_[static_cast<size_t>(at)] = std::move(value);
  return *this;
}

JsonValue& JsonValue::Append(std::string name, JsonValue value) {
  names_.push_back(std::move(name));
  values_.push_back(std::move(value));
  return *this;
}

void JsonValue::Remove(std::string_view name) {
  const auto at = std::find(names_.begin(), names_.end(), name);
  if (at == names_.end()) return;
  values_.erase(values_.begin() + (at - names_.begin()));
  names_.erase(at);
}

JsonValue& JsonValue::Append(JsonValue value) {
  values_.push_back(std::move(value));
  return *this;
}

const JsonValue* JsonValue::Find(std::string_view name) const {
  const auto at = std::find(names_.begin(), names_.end(), name);
  return at == names_.end() ? nullptr : &values_[static_cast<size_t>(at - names_.begin())];
}

Result<bool> JsonValue::AsBool() const {
  if (kind_ == Kind::kBool) return text_ == "true";
  return Error(Code::kDataLoss, kKinds[static_cast<int>(kind_)], " stands where true or false was expected");
}

Result<int64_t> JsonValue::AsInt() const {
  const bool has_digits = kind_ == Kind::kNumber || kind_ == Kind::kText;
  const std::optional<int64_t> value = has_digits ? ParseAs<int64_t>(text_) : std::nullopt;
  if (value) return *value;
  return Error(Code::kDataLoss, kKinds[static_cast<int>(kind_)], " stands where a whole number was expected");
}

Result<double> JsonValue::AsDouble() const {
  double value = 0;
  const char* const end = text_.data() + text_.size();
  if (kind_ == Kind::kNumber || kind_ == Kind::kText) {
    const auto [read, error] = std::from_chars(text_.data(), end, value);
    if (error == std::errc() && read == end && !text_.empty()) return value;
  }
  return Error(Code::kDataLoss, kKinds[static_cast<int>(kind_)], " stands where a number was expected");
}

Result<std::string> JsonValue::AsText() const {
  if (kind_ == Kind::kText) return text_;
  return Error(Code::kDataLoss, kKinds[static_cast<int>(kind_)], " stands where a text was expected");
}

template <class T>
Result<T> JsonValue::Get(std::string_view name, Result<T> (JsonValue::*as)() const) const {
  const JsonValue* const member = Find(name);
  if (member == nullptr) return Error(Code::kDataLoss, "the member \"", name, "\" is missing");
  Result<T> value = (member->*as)();
  if (!value.ok()) return value.status().Annotate(StrCat("the member \"", name, "\""));
  return value;
}

Result<bool> JsonValue::GetBool(std::string_view name) const {
  return Get(name, &JsonValue::AsBool);
}
Result<int64_t> JsonValue::GetInt(std::string_view name) const {
  return Get(name, &JsonValue::AsInt);
}
Result<double> JsonValue::GetDouble(std::string_view name) const {
  return Get(name, &JsonValue::AsDouble);
}
Result<std::string> JsonValue::GetText(std::string_view name) const {
  return Get(name, &JsonValue::AsText);
}

std::string JsonValue::Print() const {
  if (kind_ == Kind::kNull) return "null";
  if (kind_ == Kind::kText) return JsonString(text_);
  if (kind_ == Kind::kBool || kind_ == Kind::kNumber) return text_;
  std::string inner;
  for (size_t i = 0; i < values_.size(); ++i) {
    if (i > 0) inner += ", ";
    if (is_object()) inner += StrCat(JsonString(names_[i]), ": ");
    inner += values_[i].Print();
  }
  return is_object() ? StrCat("{", inner, "}") : StrCat("[", inner, "]");
}

}  // namespace dfrun
