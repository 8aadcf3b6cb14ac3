#include "src/spec/schema/alternatives.h"

#include <algorithm>
#include <charconv>

#include "src/base/text.h"
#include "src/framework/device/device_types.h"

namespace dfrun {
namespace {

std::string TableLine(const std::vector<std::string>& cells) {
  return StrCat("| ", Join(cells, " | "), " |\n");
}

}  // namespace

Alternative Alternatives::Make(std::string_view name) const {
  KeyValues values;
  for (const KeyDef& key : Find(name)->keys) values.emplace(key.name, *key.fallback);
  return {std::string(name), std::move(values)};
}

std::vector<std::string> Alternatives::Names() const {
  std::vector<std::string> names;
  for (const auto& [name, def] : defs_.all()) names.push_back(name);
  std::stable_sort(names.begin(), names.end(), [this](const std::string& a, const std::string& b) {
    return Find(a)->keys.size() < Find(b)->keys.size();
  });
  return names;
}

std::vector<KeyDef> Alternatives::Keys() const {
  std::vector<KeyDef> keys;
  for (const std::string& name : Names()) {
    for (const KeyDef& key : Find(name)->keys) {
      if (FindKeyDef(keys, key.name) == nullptr) keys.push_back(key);
    }
  }
  return keys;
}

std::string Alternatives::OwnersOf(std::string_view key) const {
  std::string owners;
  for (const std::string& name : Names()) {
    if (FindKeyDef(Find(name)->keys, key) == nullptr) continue;
    owners += StrCat(owners.empty() ? "'" : " or '", name, "'");
  }
  return owners;
}

std::optional<Alternative> Alternatives::Read(const Yaml& section, ValueReader& reader) const {
  const std::vector<std::string> names = Names();
  std::string name = fallback_;
  if (const std::optional<Yaml> chosen = FindKey(section, key_)) {
    const std::optional<int> index = reader.Choice(*chosen, StrCat("'", key_, "'"), names);
    if (!index) return {};
    name = names[static_cast<size_t>(*index)];
  }
  Alternative alternative = Make(name);
  bool good = true;
  for (const KeyDef& key : Keys()) {
    if (const std::optional<Yaml> value = FindKey(section, key.name)) {
      good = ReadKey(*value, key, alternative, reader) && good;
    }
  }
  return good ? std::optional(std::move(alternative)) : std::nullopt;
}

bool Alternatives::ReadKey(const Yaml& value, const KeyDef& key, Alternative& chosen, ValueReader& reader) const {
  const KeyDef* own = FindKeyDef(Find(chosen.name())->keys, key.name);
  if (own == nullptr) {
    reader.diagnostics().Error(value.location(), "'", key.name, "' is a key of ", key_, " ", OwnersOf(key.name),
                               ", but this is '", chosen.name(), "'");
    return false;
  }
  const std::optional<KeyValue> read = ReadKeyValue(value, *own, reader);
  if (read) chosen.Set(key.name, *read);
  return read.has_value();
}

std::string Alternatives::Print(const KeyValue& value) {
  if (const bool* is_on = std::get_if<bool>(&value)) return *is_on ? "true" : "false";
  if (const int64_t* number = std::get_if<int64_t>(&value)) return *number == -1 ? "none" : std::to_string(*number);
  char text[64];
  const auto [end, error] = std::to_chars(text, text + sizeof text, std::get<double>(value));
  return std::string(text, end);
}

std::string Alternatives::Table() const {
  std::vector<std::string> head = {StrCat("`", key_, "`"), "keys, and their defaults"};
  head.insert(head.end(), columns_.begin(), columns_.end());
  std::string table = TableLine(head) + "|";
  for (size_t i = 0; i < head.size(); ++i) table += "---|";
  table += "\n";
  for (const std::string& name : Names()) {
    const AlternativeDef& def = *Find(name);
    const std::string keys =
        Join(def.keys, ", ", [](const KeyDef& key) { return StrCat("`", key.name, "` (", Print(*key.fallback), ")"); });
    std::vector<std::string> line = {StrCat("`", name, "`", name == fallback_ ? " (default)" : ""),
                                     keys.empty() ? "none" : keys};
    line.insert(line.end(), def.doc.begin(), def.doc.end());
    table += TableLine(line);
  }
  return table;
}

Alternatives& Optimizers() {
  static Alternatives& all = *new Alternatives("optimizer", "sgd", {"rows of a sparse gradient", "other rows"});
  return all;
}

Alternatives& Strategies() {
  static Alternatives& all = *new Alternatives("strategy", "sync", {"a step"});
  return all;
}

std::vector<KeyDef> WithAlternatives(const std::vector<KeyDef>& keys) {
  std::vector<KeyDef> all;
  for (const KeyDef& key : keys) {
    if (key.kind == KeyKind::kAlternativeKeys) {
      const std::vector<KeyDef> own = key.alternatives().Keys();
      all.insert(all.end(), own.begin(), own.end());
    } else if (key.kind == KeyKind::kDeviceCounts) {
      for (const std::string& type : CountedDeviceTypes()) all.push_back(DeviceCountKeyDef(type));
    } else if (key.kind == KeyKind::kDeviceMemory) {
      for (const std::string& type : KnownDeviceTypes()) all.push_back(DeviceMemoryKeyDef(type));
    } else {
      all.push_back(key);
    }
  }
  return all;
}

}  // namespace dfrun
