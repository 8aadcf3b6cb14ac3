#include <algorithm>
#include <cmath>

#include "src/spec/schema/check_keys.h"
#include "src/spec/section.h"

namespace dfrun {
namespace {

// A rate of any training is a number of float32. Reports other values.
std::optional<double> ReadRate(const Yaml& value, std::string_view what, ValueReader& reader) {
  const std::optional<double> rate = reader.Number(value, what);
  if (!rate || std::isfinite(static_cast<float>(*rate))) return rate;
  reader.diagnostics().Error(value.location(), what, " is a learning rate of ", *rate,
                             ", which is beyond float32: 3.4028235e+38 is its greatest number");
  return {};
}

// Reads `{schedule: NAME, ...}`; a function that fails has reported why.
class ScheduleReader {
 public:
  ScheduleReader(const Yaml& map, ValueReader& reader) : map_(map), reader_(reader) {}

  std::optional<ScheduleSpec> Read() {
    if (!CheckMap(map_, "'learning_rate'", reader_.diagnostics())) return {};
    const std::optional<Yaml> name = FindKey(map_, "schedule");
    if (!name) return Fail(map_.location(), "lacks 'schedule': constant, piecewise, step, exponential or cosine");
    const std::optional<int> kind =
        reader_.Choice(*name, "'schedule'", FindKeyDef(ScheduleKeys(), "schedule")->choices);
    if (!kind) return {};
    spec_.kind = static_cast<ScheduleSpec::Kind>(*kind);
    if (!CheckOwnKeys() || !ReadKeys()) return {};
    return spec_;
  }

 private:
  using Kind = ScheduleSpec::Kind;

  template <class... Args>
  std::nullopt_t Fail(SourceLocation location, const Args&... args) {
    reader_.diagnostics().Error(location, "'learning_rate' ", args...);
    return std::nullopt;
  }

  bool CheckOwnKeys() {
    const std::string what = StrCat("schedule '", FindKey(map_, "schedule")->text(), "'");
    switch (spec_.kind) {
      case Kind::kConstant:
        return Check({"schedule", "initial", "warmup"}, {"initial"}, what);
      case Kind::kPiecewise:
        return Check({"schedule", "boundaries", "values", "warmup"}, {"boundaries", "values"}, what);
      case Kind::kStep:
      case Kind::kExponential:
        return Check({"schedule", "initial", "steps", "factor", "warmup"}, {"initial", "steps", "factor"}, what);
      case Kind::kCosine:
        return Check({"schedule", "initial", "final", "steps", "warmup"}, {"initial", "steps"}, what);
    }
    return false;
  }

  bool Check(const std::vector<std::string>& known, std::initializer_list<std::string_view> required,
             const std::string& what) {
    if (!CheckKeys(map_, known, what, reader_.diagnostics())) return false;
    for (std::string_view key : required) {
      if (FindKey(map_, key)) continue;
      reader_.diagnostics().Error(map_.location(), what, " lacks '", key, "'");
      return false;
    }
    return true;
  }

  bool ReadKeys() {
    return ReadRateOf("initial", spec_.initial) && ReadRateOf("final", spec_.final) && ReadFactor() &&
           ReadInt("steps", 1, spec_.steps) && ReadInt("warmup", 0, spec_.warmup) &&
           (spec_.kind != Kind::kPiecewise || ReadPieces());
  }

  bool ReadRateOf(std::string_view key, double& out) {
    const std::optional<Yaml> value = FindKey(map_, key);
    if (!value) return true;
    const std::optional<double> rate = ReadRate(*value, StrCat("'", key, "'"), reader_);
    if (rate) out = *rate;
    return rate.has_value();
  }

  bool ReadFactor() {
    const std::optional<Yaml> value = FindKey(map_, "factor");
    if (!value) return true;
    const std::optional<double> factor = reader_.Number(*value, "'factor'");
    if (!factor) return false;
    spec_.factor = *factor;
    if (spec_.kind != Kind::kExponential || *factor >= 0) return true;
    return Fail(value->location(), "would be no number between whole multiples of 'steps': the 'factor' of an ",
                "exponential schedule is at least 0, not ", *factor, "; that of schedule 'step' may be below 0"),
           false;
  }

  bool ReadInt(std::string_view key, int64_t minimum, int64_t& out) {
    const std::optional<Yaml> value = FindKey(map_, key);
    if (!value) return true;
    const std::optional<int64_t> number = reader_.Int(*value, StrCat("'", key, "'"), minimum);
    if (number) out = *number;
    return number.has_value();
  }

  bool ReadPieces() {
    const Yaml boundaries = *FindKey(map_, "boundaries");
    const Yaml values = *FindKey(map_, "values");
    if (!boundaries.is_sequence() || !values.is_sequence() || values.size() != boundaries.size() + 1)
      return Fail(values.location(), "needs lists, one value more than boundaries"), false;
    for (size_t i = 0; i < boundaries.size(); ++i) {
      const std::optional<int64_t> step = reader_.Int(boundaries.item(i), "a boundary", 1);
      if (!step) return false;
      if (i > 0 && *step <= spec_.boundaries.back())
        return Fail(boundaries.item(i).location(), "needs boundaries in ascending order"), false;
      spec_.boundaries.push_back(*step);
    }
    for (size_t i = 0; i < values.size(); ++i) {
      const std::optional<double> value = ReadRate(values.item(i), "a value", reader_);
      if (!value) return false;
      spec_.values.push_back(*value);
    }
    return true;
  }

  const Yaml& map_;
  ValueReader& reader_;
  ScheduleSpec spec_;
};

bool IsCosine(const Yaml& schedule, const ValueReader& reader) {
  const std::optional<Yaml> name = FindKey(schedule, "schedule");
  return name && reader.Is(*name, "cosine");
}

}  // namespace

// The choices are in the order of ScheduleSpec::Kind.
const std::vector<KeyDef>& ScheduleKeys() {
  static const std::vector<KeyDef>& keys = *new std::vector<KeyDef>{
      {.name = "schedule",
       .kind = KeyKind::kChoice,
       .required = true,
       .choices = {"constant", "piecewise", "step", "exponential", "cosine"}},
      {"initial", KeyKind::kNumber},
      {.name = "final", .kind = KeyKind::kNumber, .default_text = "0", .has_default = &IsCosine},
      {"factor", KeyKind::kNumber},
      {"steps", KeyKind::kInt},
      {.name = "warmup", .kind = KeyKind::kInt, .default_text = "0"},
      {"boundaries", KeyKind::kInts},
      {"values", KeyKind::kNumbers}};
  return keys;
}

std::optional<ScheduleSpec> ReadSchedule(const Yaml& value, ValueReader& reader) {
  if (!value.is_scalar()) return ScheduleReader(value, reader).Read();
  const std::optional<double> rate = ReadRate(value, "'learning_rate'", reader);
  if (!rate) return {};
  ScheduleSpec constant;
  constant.initial = *rate;
  return constant;
}

}  // namespace dfrun
