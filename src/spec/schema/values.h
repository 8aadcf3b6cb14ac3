// Reads typed values of the sections: scalars in which params are replaced and sums of numbers computed.
#ifndef DFRUN_SRC_SPEC_SCHEMA_VALUES_H_
#define DFRUN_SRC_SPEC_SCHEMA_VALUES_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/spec/expr/params.h"
#include "src/spec/schema/schema.h"

namespace dfrun {

// Whether a value that must be a bool is a word of YAML 1.1 for one, which YAML 1.2 has no more.
bool IsBoolOfYaml11(std::string_view word);
inline constexpr std::string_view kWantedBool = "true or false (yes, no, on and off are texts in YAML 1.2)";

// Each function reports an error of the value and then returns nothing. `what` names the value: "'steps'".
class ValueReader {
 public:
  ValueReader(const Params& params, Diagnostics& diagnostics) : params_(params), diagnostics_(diagnostics) {}

  // Whether the value is this word, with params replaced; reports nothing.
  bool Is(const Yaml& value, std::string_view word) const;
  std::optional<int64_t> Int(const Yaml& value, std::string_view what, int64_t minimum = INT64_MIN);
  // A number of bytes, or of seconds, or one with a unit (src/base/units.h). With units a sum or a product is worked
  // out too.
  std::optional<int64_t> Bytes(const Yaml& value, std::string_view what, int64_t minimum = 0);
  std::optional<double> Seconds(const Yaml& value, std::string_view what);
  // A number as it is, a share if it is at most 1, or a size with a unit.
  std::optional<double> ShareOrBytes(const Yaml& value, std::string_view what);
  // Finite.
  std::optional<double> Number(const Yaml& value, std::string_view what);
  std::optional<bool> Bool(const Yaml& value, std::string_view what);
  std::optional<std::string> Text(const Yaml& value, std::string_view what);
  // The index of the text among `choices`.
  std::optional<int> Choice(const Yaml& value, std::string_view what, const std::vector<std::string>& choices);

  Diagnostics& diagnostics() { return diagnostics_; }

 private:
  std::nullopt_t Fail(const Yaml& value, std::string_view what, std::string_view wanted, std::string_view text);
  // A number, or a sum or product of numbers; `parse` reads those with a unit, and is asked why a text is none.
  template <class T>
  std::optional<double> Quantity(const Yaml& value, std::string_view what, std::string_view forms,
                                 Result<T> (*parse)(std::string_view));
  // The text of a scalar; reports other values.
  std::optional<std::string> Scalar(const Yaml& value, std::string_view what, std::string_view wanted);

  const Params& params_;
  Diagnostics& diagnostics_;
};

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_SCHEMA_VALUES_H_
