#include "src/spec/schema/key_def.h"

#include <algorithm>

#include "src/framework/device/device_types.h"

namespace dfrun {
namespace {

std::optional<KeyValue> ReadInt(const Yaml& value, const KeyDef& key, std::string_view what, ValueReader& reader) {
  const std::optional<int64_t> number =
      key.kind == KeyKind::kBytes ? reader.Bytes(value, what, key.minimum) : reader.Int(value, what, key.minimum);
  if (!number) return {};
  if (*number <= key.maximum) return *number;
  reader.diagnostics().Error(value.location(), "more than ", key.maximum, " ", key.name);
  return {};
}

std::optional<double> NumberOf(const Yaml& value, const KeyDef& key, std::string_view what, ValueReader& reader) {
  if (key.kind == KeyKind::kSeconds) return reader.Seconds(value, what);
  if (key.kind == KeyKind::kShareOrBytes) return reader.ShareOrBytes(value, what);
  return reader.Number(value, what);
}

std::optional<KeyValue> ReadNumber(const Yaml& value, const KeyDef& key, std::string_view what, ValueReader& reader) {
  const std::optional<double> number = NumberOf(value, key, what, reader);
  if (!number) return {};
  if (key.kind == KeyKind::kFraction && !(*number >= 0 && *number < 1)) {
    reader.diagnostics().Error(value.location(), what, " must be in [0, 1)");
    return {};
  }
  if ((key.kind == KeyKind::kPositive || key.kind == KeyKind::kShareOrBytes) && !(*number > 0)) {
    reader.diagnostics().Error(value.location(), what, " must be above 0");
    return {};
  }
  return *number;
}

}  // namespace

const KeyDef* FindKeyDef(const std::vector<KeyDef>& keys, std::string_view name) {
  const auto it = std::find_if(keys.begin(), keys.end(), [&](const KeyDef& key) { return key.name == name; });
  return it == keys.end() ? nullptr : &*it;
}

std::vector<std::string> NamesOf(const std::vector<KeyDef>& keys) {
  std::vector<std::string> names;
  names.reserve(keys.size());
  for (const KeyDef& key : keys) names.push_back(key.name);
  return names;
}

KeyDef DeviceCountKeyDef(std::string_view type) {
  return {.name = DeviceCountKey(type), .kind = KeyKind::kInt, .minimum = 0, .maximum = kMaxDevicesOfType};
}

KeyDef DeviceMemoryKeyDef(std::string_view type) {
  return {.name = DeviceMemoryKey(type), .kind = KeyKind::kShareOrBytes};
}

std::optional<KeyValue> ReadKeyValue(const Yaml& value, const KeyDef& key, ValueReader& reader) {
  const std::string what = StrCat("'", key.name, "'");
  // A bound that may be left out: 'none' writes what no number does.
  const bool may_be_none = key.fallback == KeyValue(int64_t{-1}) && key.minimum >= 0;
  if (may_be_none && reader.Is(value, "none")) return *key.fallback;
  if (key.kind == KeyKind::kInt || key.kind == KeyKind::kBytes) return ReadInt(value, key, what, reader);
  if (key.kind != KeyKind::kBool) return ReadNumber(value, key, what, reader);
  const std::optional<bool> is_on = reader.Bool(value, what);
  return is_on ? std::optional<KeyValue>(*is_on) : std::nullopt;
}

}  // namespace dfrun
