// Definitions of the keys that a mapping of the spec may hold, declared once: readers check keys by them, and the JSON
// schema tells editors the same.
#ifndef DFRUN_SRC_SPEC_SCHEMA_KEY_DEF_H_
#define DFRUN_SRC_SPEC_SCHEMA_KEY_DEF_H_

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/spec/schema/alternative.h"
#include "src/spec/schema/values.h"

namespace dfrun {

class Alternatives;

enum class KeyKind {
  kInt,
  kNumber,
  kFraction,      // a number in [0, 1)
  kPositive,      // a number above 0
  kBytes,         // an integer, of bytes, or a number with one of their units (src/base/units.h)
  kShareOrBytes,  // a number up to 1, or kBytes
  kSeconds,       // a number, of seconds, or one with one of their units
  kBool,
  kBoolOrInt,
  kText,
  kPath,  // a text, relative to the spec's folder
  kTextOrNumber,
  kChoice,           // a text of KeyDef::choices, or, where there are any, a mapping of KeyDef::keys
  kAlternative,      // a name of KeyDef::alternatives, whose own keys stand beside it
  kAlternativeKeys,  // no key: stands for those of KeyDef::alternatives
  kDType,
  kShape,
  kAny,
  kVersion,  // version of the spec's language
  kInts,     // a list of integers
  kNumbers,  // a list of numbers
  kTexts,    // a list of texts
  kNames,    // a text or a list of texts
  kFetches,  // kNames, or a mapping of names to texts
  kReturns,  // an expression, or a mapping of names to expressions
  kExpression,
  kExpressionList,
  kExpressions,    // a mapping of names to expressions
  kNodes,          // a mapping of names to nodes of the graph
  kCounts,         // a mapping of names to integers
  kDeviceCounts,   // no key: stands for an integer by the DeviceCountKey() of each type of device
  kDeviceMemory,   // no key: stands for a kShareOrBytes by the DeviceMemoryKey() of each type of device
  kAnyMapping,     // a mapping whose keys are the user's
  kMapping,        // a mapping of KeyDef::keys
  kNamedMappings,  // a mapping of names to mappings of KeyDef::keys
  kEvaluations,    // a mapping of KeyDef::keys, or of names to such mappings
  kMetric,         // a text, or a mapping of KeyDef::keys
  kMetrics,        // a text, a list of texts and of mappings of names to kMetric, or a mapping of names to kMetric
  kSchedule,       // a number, or a mapping of KeyDef::keys
  kTensors,        // a mapping of names to a source, or to a mapping of KeyDef::keys
  kInputs          // a mapping of names to mappings of KeyDef::keys and those of a format of files
};

struct KeyDef {
  std::string name = {};
  KeyKind kind = KeyKind::kText;
  bool required = false;
  std::vector<std::string> choices = {};
  std::vector<KeyDef> keys = {};
  Alternatives& (*alternatives)() = nullptr;
  // Bounds of a kInt and of kBytes.
  int64_t minimum = std::numeric_limits<int64_t>::min();
  int64_t maximum = std::numeric_limits<int64_t>::max();
  std::optional<KeyValue> fallback = {};  // for an alternative's key: its value where the spec has none
  // The key's text where the spec has none, for `dfrun check --print`; empty: it then has no value, or one that depends
  // on others. Null `has_default`: in every mapping.
  std::string default_text = {};
  bool (*has_default)(const Yaml& map, const ValueReader& reader) = nullptr;
  // Keys that an override of this one on the command line takes away.
  std::vector<std::string> excludes = {};
};

// The key for the number of devices of the type on a rank.
KeyDef DeviceCountKeyDef(std::string_view type);
// The key for the memory that a rank takes of each such device: a share, at most 1, or bytes.
KeyDef DeviceMemoryKeyDef(std::string_view type);

// Returns null where none has the name.
const KeyDef* FindKeyDef(const std::vector<KeyDef>& keys, std::string_view name);

std::vector<std::string> NamesOf(const std::vector<KeyDef>& keys);

// The value of a key that is a number or a bool; nothing where it does not fit, which has been reported.
std::optional<KeyValue> ReadKeyValue(const Yaml& value, const KeyDef& key, ValueReader& reader);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_SCHEMA_KEY_DEF_H_
