// JSON of any form, as a tree.
#ifndef DFRUN_SRC_BASE_JSON_JSON_VALUE_H_
#define DFRUN_SRC_BASE_JSON_JSON_VALUE_H_

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/status.h"

namespace dfrun {

// A value with all that is in it.
//
//   JsonValue best = JsonValue::Object();
//   best.Set("step", JsonValue::Int(40)).Set("value", JsonValue::Double(0.1));
//   DF_ASSIGN(const int64_t step, best.GetInt("step"));
//
// Numbers of 64 bits are written as texts, "40" and "0.1", so that all of their bits come back whatever reads them.
// Thread safety: const methods from any thread.
class JsonValue {
 public:
  enum class Kind { kNull, kBool, kNumber, kText, kArray, kObject };
  // Levels of arrays and objects, this one included.
  static constexpr int kMaxDepth = 32;

  JsonValue() = default;  // null
  static JsonValue Object() { return JsonValue(Kind::kObject, ""); }
  static JsonValue Array() { return JsonValue(Kind::kArray, ""); }
  static JsonValue Text(std::string text) { return JsonValue(Kind::kText, std::move(text)); }
  static JsonValue Bool(bool value) { return JsonValue(Kind::kBool, value ? "true" : "false"); }
  static JsonValue Int(int64_t value);
  // The shortest text that reads back to the same double; "nan", "inf" and "-inf" for those.
  static JsonValue Double(double value);
  // A number as JSON writes it, which is not checked.
  static JsonValue Number(std::string digits) { return JsonValue(Kind::kNumber, std::move(digits)); }

  Kind kind() const { return kind_; }
  bool is_object() const { return kind_ == Kind::kObject; }

  // For an object: gives a member its value, behind the others where it is new.
  JsonValue& Set(std::string_view name, JsonValue value);
  // For an object: adds a member that it does not have, which is not checked.
  JsonValue& Append(std::string name, JsonValue value);
  // For an object: removes a member, if it is there.
  void Remove(std::string_view name);
  // For an array.
  JsonValue& Append(JsonValue value);

  // The names of an object's members, in their order; none of another value.
  std::span<const std::string> names() const { return names_; }
  // The elements of an array, or the values of an object's members in the order of their names.
  std::span<const JsonValue> values() const { return values_; }
  // An object's member; null where it has none of this name, and of another value.
  const JsonValue* Find(std::string_view name) const;

  // Return the value; DataLoss where it is of another kind. AsInt() takes a whole number of 64 bits, AsDouble() any,
  // both in quotes or without.
  Result<bool> AsBool() const;
  Result<int64_t> AsInt() const;
  Result<double> AsDouble() const;
  Result<std::string> AsText() const;
  // Return the value of an object's member; DataLoss names the member where it is missing or of another kind.
  Result<bool> GetBool(std::string_view name) const;
  Result<int64_t> GetInt(std::string_view name) const;
  Result<double> GetDouble(std::string_view name) const;
  Result<std::string> GetText(std::string_view name) const;

  // Returns one line of JSON.
  std::string Print() const;

  bool operator==(const JsonValue&) const = default;

 private:
  JsonValue(Kind kind, std::string text) : kind_(kind), text_(std::move(text)) {}
  template <class T>
  Result<T> Get(std::string_view name, Result<T> (JsonValue::*as)() const) const;

  Kind kind_ = Kind::kNull;
  std::string text_;                // for a bool, a number and a text
  std::vector<std::string> names_;  // for an object
  std::vector<JsonValue> values_;   // for an array and an object
};

}  // namespace dfrun

#endif  // DFRUN_SRC_BASE_JSON_JSON_VALUE_H_
