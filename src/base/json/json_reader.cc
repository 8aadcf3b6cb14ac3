#include "src/base/json/json_reader.h"

#include <set>
#include <utility>

#include "src/base/json/json.h"
#include "src/base/text.h"

namespace dfrun {
namespace {

constexpr bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

bool IsOneOf(char c, std::string_view set) {
  return set.find(c) != std::string_view::npos;
}

bool IsOfWord(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || IsOneOf(c, "E+-.");
}

// Takes digits off the text, and returns whether there were any.
bool TakeDigits(std::string_view& text) {
  const size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(end);
  return end > 0;
}

// Whether the text is a number by JSON's grammar.
bool IsNumber(std::string_view text) {
  if (text.starts_with('-')) text.remove_prefix(1);
  if (text.size() > 1 && text[0] == '0' && IsDigit(text[1])) return false;
  if (!TakeDigits(text)) return false;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    if (!TakeDigits(text)) return false;
  }
  if (text.empty()) return true;
  if (!IsOneOf(text[0], "eE")) return false;
  text.remove_prefix(1);
  if (!text.empty() && IsOneOf(text[0], "+-")) text.remove_prefix(1);
  return TakeDigits(text) && text.empty();
}

void AppendUtf8(uint32_t code, std::string& out) {
  if (code < 0x80) {
    out += static_cast<char>(code);
    return;
  }
  const int following = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  static constexpr uint32_t kLead[] = {0, 0xC0, 0xE0, 0xF0};
  out += static_cast<char>(kLead[following] | (code >> (6 * following)));
  for (int i = following - 1; i >= 0; --i) out += static_cast<char>(0x80 | ((code >> (6 * i)) & 0x3F));
}

}  // namespace

void JsonReader::Fail(std::string_view wanted) {
  if (!status_.ok()) return;
  const std::string_view rest = text_.substr(std::min(at_, text_.size()), 20);
  status_ = Error(Code::kDataLoss, "at byte ", at_, " ", wanted, " was expected, and ", JsonString(rest), " found");
}

char JsonReader::Peek() {
  while (at_ < text_.size() && std::string_view(" \n\t\r").find(text_[at_]) != std::string_view::npos) ++at_;
  return ok() && at_ < text_.size() ? text_[at_] : '\0';
}

void JsonReader::Expect(char c) {
  if (Peek() != c) return Fail(std::string_view(&c, 1));
  ++at_;
}

void JsonReader::Separate() {
  if (!first_) Expect(',');
  first_ = false;
}

void JsonReader::Open(char bracket) {
  Expect(bracket);
  first_ = true;
}

void JsonReader::Close(char bracket) {
  Expect(bracket);
  first_ = false;
}

void JsonReader::Name(std::string_view name) {
  if (!TryName(name)) Fail(StrCat("the member \"", name, "\""));
}

bool JsonReader::TryName(std::string_view name) {
  const size_t at = at_;
  const bool first = first_;
  const char next = Peek();
  if (next == (first_ ? '"' : ',')) {
    Separate();
    if (Peek() == '"' && String() == name) {
      Expect(':');
      return ok();
    }
  }
  at_ = at;
  first_ = first;
  return false;
}

bool JsonReader::NextElement() {
  if (!ok()) return false;
  if (Peek() == ']') {
    Close(']');
    return false;
  }
  Separate();
  return ok();
}

bool JsonReader::NextName(std::string* name) {
  if (!ok()) return false;
  if (Peek() == '}') {
    Close('}');
    return false;
  }
  Separate();
  Peek();
  *name = String();
  Expect(':');
  return ok();
}

JsonValue JsonReader::Value(size_t most_bytes) {
  value_end_ = at_ + std::min(most_bytes, text_.size());
  return ValueAt(1);
}

JsonValue JsonReader::ValueAt(int depth) {
  const char next = Peek();
  if (at_ > value_end_) Fail("the end of a shorter value");
  if (next == '"') return JsonValue::Text(String());
  if (next != '[' && next != '{') return Word();
  if (depth > JsonValue::kMaxDepth) {
    Fail(StrCat("no more than ", JsonValue::kMaxDepth, " levels"));
    return {};
  }
  if (next == '{') return ObjectAt(depth);
  JsonValue array = JsonValue::Array();
  BeginArray();
  while (NextElement()) array.Append(ValueAt(depth + 1));
  return array;
}

JsonValue JsonReader::ObjectAt(int depth) {
  JsonValue object = JsonValue::Object();
  std::set<std::string> names;
  std::string name;
  BeginObject();
  while (NextName(&name)) {
    if (!names.insert(name).second) Fail(StrCat("no second member \"", name, "\""));
    object.Append(std::move(name), ValueAt(depth + 1));
  }
  return object;
}

JsonValue JsonReader::Word() {
  const size_t begin = at_;
  while (at_ < text_.size() && IsOfWord(text_[at_])) ++at_;
  const std::string_view word = text_.substr(begin, at_ - begin);
  if (word == "true" || word == "false") return JsonValue::Bool(word == "true");
  if (word == "null") return {};
  if (IsNumber(word)) return JsonValue::Number(std::string(word));
  at_ = begin;
  Fail("a value");
  return {};
}

std::string JsonReader::String() {
  std::string out;
  Expect('"');
  while (ok() && at_ < text_.size() && text_[at_] != '"') {
    const char c = text_[at_++];
    if (static_cast<unsigned char>(c) < 0x20) {
      Fail("no control character in a string");
    } else if (c == '\\') {
      AppendEscape(out);
    } else {
      out += c;
    }
  }
  if (at_ >= text_.size()) {
    Fail("the end of a string");
    return std::string();
  }
  ++at_;
  return ok() ? out : std::string();
}

uint32_t JsonReader::Hex4() {
  uint32_t value = 0;
  const std::string_view digits = text_.substr(std::min(at_, text_.size()), 4);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (error != std::errc() || end != digits.data() + 4) Fail("four hexadecimal digits");
  at_ += digits.size();
  return value;
}

void JsonReader::AppendEscape(std::string& out) {
  static constexpr std::string_view kNames = "\"\\/bfnrt";
  static constexpr std::string_view kValues = "\"\\/\b\f\n\r\t";
  const char c = at_ < text_.size() ? text_[at_++] : '\0';
  if (const size_t i = kNames.find(c); i != std::string_view::npos) {
    out += kValues[i];
    return;
  }
  if (c != 'u') return Fail("an escape");
  uint32_t code = Hex4();
  if (code >= 0xD800 && code < 0xDC00 && text_.substr(at_, 2) == "\\u") {
    at_ += 2;
    const uint32_t low = Hex4();
    if (low < 0xDC00 || low > 0xDFFF) Fail("the second half of a character");
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  }
  if (code >= 0xD800 && code <= 0xDFFF) Fail("a whole character");
  AppendUtf8(code, out);
}

uint64_t JsonReader::Number(uint64_t most) {
  Peek();
  const size_t begin = at_;
  while (at_ < text_.size() && IsDigit(text_[at_])) ++at_;
  const std::string_view digits = text_.substr(begin, at_ - begin);
  const auto value = ParseAs<uint64_t>(digits);
  if (value && *value <= most && (digits.size() == 1 || digits[0] != '0')) return ok() ? *value : 0;
  at_ = begin;
  Fail(StrCat("a whole number from 0 to ", most));
  return 0;
}

uint64_t JsonReader::QuotedNumber(uint64_t most) {
  Expect('"');
  if (at_ < text_.size() && !IsDigit(text_[at_])) Fail("a digit");
  const uint64_t value = Number(most);
  if (at_ >= text_.size() || text_[at_] != '"') Fail("the end of a number");
  ++at_;
  return value;
}

Status JsonReader::Finish() {
  Peek();
  if (at_ < text_.size()) Fail("the end");
  return status_;
}

Result<JsonValue> ParseJson(std::string_view text) {
  JsonReader reader(text);
  JsonValue value = reader.Value();
  DF_TRY(reader.Finish());
  return value;
}

}  // namespace dfrun
