// An alternative that a section of the spec has chosen by name (src/spec/schema/alternatives.h), with the values of its
// keys.
#ifndef DFRUN_SRC_SPEC_SCHEMA_ALTERNATIVE_H_
#define DFRUN_SRC_SPEC_SCHEMA_ALTERNATIVE_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace dfrun {

// A number or a bool of the spec.
using KeyValue = std::variant<bool, int64_t, double>;
using KeyValues = std::map<std::string, KeyValue, std::less<>>;

// A chosen alternative, with values for all of its keys.
// Thread safety: as a standard container.
class Alternative {
 public:
  Alternative() = default;
  // `values`: one for each key that the definition has.
  Alternative(std::string name, KeyValues values) : name_(std::move(name)), values_(std::move(values)) {}

  const std::string& name() const { return name_; }
  // The value of a key that the definition has, by its kind.
  bool flag(std::string_view key) const { return std::get<bool>(values_.find(key)->second); }
  int64_t integer(std::string_view key) const { return std::get<int64_t>(values_.find(key)->second); }
  double number(std::string_view key) const { return std::get<double>(values_.find(key)->second); }
  const KeyValues& values() const { return values_; }
  void Set(std::string_view key, KeyValue value) { values_.find(key)->second = value; }

 private:
  std::string name_;
  KeyValues values_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_SCHEMA_ALTERNATIVE_H_
