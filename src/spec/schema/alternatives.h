// Alternatives: registered definitions among which a section of the spec chooses by name, each with keys of its own in
// that section. `optimizer: momentum` has `momentum:` and `nesterov:` beside it.
#ifndef DFRUN_SRC_SPEC_SCHEMA_ALTERNATIVES_H_
#define DFRUN_SRC_SPEC_SCHEMA_ALTERNATIVES_H_

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "src/base/registry.h"
#include "src/spec/schema/alternative.h"
#include "src/spec/schema/key_def.h"

namespace dfrun {

struct InputSpec;
struct TrainSpec;

struct AlternativeDef {
  std::vector<KeyDef> keys = {};      // numbers and bools, each with a fallback
  std::vector<std::string> doc = {};  // cells of its line in Alternatives::Table(), by column
  // Reports where the rest of the section, or an input that its loss reads, does not agree with the values; false then.
  // May be null.
  bool (*check)(const TrainSpec& train, std::span<const InputSpec* const> inputs, Diagnostics& diagnostics) = nullptr;
};

// All alternatives that one key may choose among.
// Thread safety: as a Registry.
class Alternatives {
 public:
  // `key`: "optimizer"; `fallback`: the name where the spec has none; `columns`: the titles for AlternativeDef::doc.
  Alternatives(std::string key, std::string fallback, std::vector<std::string> columns)
      : key_(std::move(key)), fallback_(std::move(fallback)), columns_(std::move(columns)) {}

  void Add(std::string name, AlternativeDef def) { defs_.Add(std::move(name), std::move(def)); }

  const std::string& key() const { return key_; }
  const std::string& fallback() const { return fallback_; }
  // Returns null where there is none of this name.
  const AlternativeDef* Find(std::string_view name) const { return defs_.Find(name); }
  // Names from the simplest on: those with fewer keys first, then by name.
  std::vector<std::string> Names() const;
  // The own keys of all, each name once, in the order of Names().
  std::vector<KeyDef> Keys() const;
  // Makes a registered alternative with its fallbacks.
  Alternative Make(std::string_view name) const;
  // Reads the alternative that a section chooses, with the values of its keys; nothing after an error, which is
  // reported.
  std::optional<Alternative> Read(const Yaml& section, ValueReader& reader) const;
  // A value as a spec writes it.
  static std::string Print(const KeyValue& value);
  // The table of docs/spec.md: a line for each of Names(), with its keys and their fallbacks.
  std::string Table() const;

 private:
  bool ReadKey(const Yaml& value, const KeyDef& key, Alternative& chosen, ValueReader& reader) const;
  // "'momentum'", or "'a' or 'b'": those that have the key.
  std::string OwnersOf(std::string_view key) const;

  const std::string key_;
  const std::string fallback_;
  const std::vector<std::string> columns_;
  Registry<AlternativeDef> defs_;
};

// The alternatives that `train:` chooses among. src/training registers them: OPTIMIZER and STRATEGY.
Alternatives& Optimizers();
Alternatives& Strategies();

// The keys with those of alternatives in the stead of each kAlternativeKeys, and those of types of devices in the stead
// of kDeviceCounts and kDeviceMemory.
std::vector<KeyDef> WithAlternatives(const std::vector<KeyDef>& keys);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_SCHEMA_ALTERNATIVES_H_
