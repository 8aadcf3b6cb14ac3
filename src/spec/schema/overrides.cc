#include "src/spec/schema/overrides.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "src/base/counted.h"
#include "src/base/text.h"
#include "src/framework/op/op.h"
#include "src/spec/schema/alternatives.h"
#include "src/spec/schema/schema.h"
#include "src/spec/schema/section_def.h"
#include "src/spec/yaml/source_text.h"

namespace dfrun {
namespace {

// The keys that a mapping takes.
struct Level {
  enum class Names {
    kKeys,         // keys of the language
    kGiven,        // names of the user's that other parts of the spec refer to: only those that are there
    kKeysOrNames,  // keys of the language, or names of the user's, each of a mapping of these keys
    kAny           // any name
  };
  Names names = Names::kAny;
  std::vector<KeyDef> keys = {};  // for kGiven: the keys of each value
};

Level LevelOf(const KeyDef& def) {
  switch (def.kind) {
    case KeyKind::kMapping:
    case KeyKind::kChoice:
    case KeyKind::kSchedule:
    case KeyKind::kMetric:
      return {Level::Names::kKeys, WithAlternatives(def.keys)};
    case KeyKind::kNamedMappings:
    case KeyKind::kTensors:
    case KeyKind::kInputs:
      return {Level::Names::kGiven, WithAlternatives(def.keys)};
    case KeyKind::kEvaluations:
      return {Level::Names::kKeysOrNames, WithAlternatives(def.keys)};
    case KeyKind::kNodes:
    case KeyKind::kAnyMapping:
      return {Level::Names::kGiven, {}};
    default:
      return {};
  }
}

Level Root() {
  Level root{Level::Names::kKeys, {}};
  for (const SectionDef* section : Sections::List()) root.keys.push_back(section->key);
  return root;
}

// The level of the value of `name`.
Level Below(const Level& level, std::string_view name) {
  if (level.names == Level::Names::kKeysOrNames && FindKeyDef(level.keys, name) == nullptr)
    return {Level::Names::kKeys, level.keys};
  if (level.names == Level::Names::kAny) return {};
  if (level.names == Level::Names::kGiven) return level.keys.empty() ? Level{} : Level{Level::Names::kKeys, level.keys};
  const KeyDef* const def = FindKeyDef(level.keys, name);
  return def == nullptr ? Level{} : LevelOf(*def);
}

// The entry of a mapping whose key is the whole path or the longest beginning of it: names may hold dots.
std::optional<size_t> EntryAt(const Yaml& map, std::string_view path) {
  std::optional<size_t> best;
  for (size_t i = 0; i < map.size(); ++i) {
    const std::string_view key = map.key(i).text();
    const bool begins = path.starts_with(key) && (path.size() == key.size() || path[key.size()] == '.');
    if (begins && (!best || key.size() > map.key(*best).text().size())) best = i;
  }
  return best;
}

std::string_view Behind(std::string_view path, size_t size) {
  return path.substr(std::min(size + 1, path.size()));
}

std::vector<std::string> KeysOf(const Yaml& map) {
  std::vector<std::string> keys;
  for (size_t i = 0; i < map.size(); ++i) keys.emplace_back(map.key(i).text());
  return keys;
}

// The section of a file, where it has one that is a mapping.
std::optional<Yaml> MapOf(const YamlDocument& file, std::string_view section) {
  const std::optional<Yaml> map = file.root().is_map() ? FindKey(file.root(), section) : std::nullopt;
  return map && map->is_map() ? map : std::nullopt;
}

// Gives one file one value; the path begins at its root.
class Setter {
 public:
  Setter(const SpecOverride& set, int32_t option, YamlDocument& file, Diagnostics& diagnostics)
      : set_(set), option_(option), file_(file), diagnostics_(diagnostics) {}

  void Set() {
    std::unique_ptr<YamlDocument> value = Value();
    if (value) Walk(std::move(value));
  }

 private:
  template <class... Args>
  void Fail(const Args&... args) {
    diagnostics_.Error({option_, 1, 1}, args...);
  }

  std::unique_ptr<YamlDocument> Value() {
    if (set_.text.find_first_not_of(" \t\n\r") == std::string::npos) {
      Fail("there is no value behind '='; 'null' takes the key away, '\"\"' is an empty text");
      return nullptr;
    }
    if (!CheckSpecText(set_.text, option_, diagnostics_)) return nullptr;
    return YamlDocument::Parse(set_.text, option_, diagnostics_);
  }

  void Walk(std::unique_ptr<YamlDocument> value) {
    Yaml at = file_.root();
    Level level = Root();
    std::string_view rest = set_.path;
    std::vector<size_t> path;
    while (true) {
      const size_t begin = set_.path.size() - rest.size();
      const std::string_view before = begin == 0 ? "" : std::string_view(set_.path).substr(0, begin - 1);
      const std::optional<size_t> child = at.is_sequence() ? ItemAt(at, before, rest) : EntryAt(at, rest);
      if (at.is_sequence() && !child) return;
      if (!child) return AddAt(at, level, before, rest, path, std::move(value));
      const bool is_key = at.is_map();
      const std::string_view name = is_key ? at.key(*child).text() : rest.substr(0, rest.find('.'));
      path.push_back(*child);
      if (name.size() == rest.size()) return PutAt(at, level, name, path, std::move(value));
      level = is_key ? Below(level, name) : Level{};
      at = is_key ? at.value(*child) : at.item(*child);
      rest = Behind(rest, name.size());
    }
  }

  std::optional<size_t> ItemAt(const Yaml& list, std::string_view before, std::string_view rest) {
    const std::string_view number = rest.substr(0, rest.find('.'));
    const std::optional<size_t> item = ParseAs<size_t>(number);
    if (item && *item < list.size()) return item;
    Fail("'", before, "' is a list of ", Counted(static_cast<int64_t>(list.size()), "item"),
         ", counted from 0, which has no item '", number, "'");
    return {};
  }

  // Sets an entry or an item that is there. Null takes away what the language need not have.
  void PutAt(const Yaml& at, const Level& level, std::string_view name, const std::vector<size_t>& path,
             std::unique_ptr<YamlDocument> value) {
    const bool is_key = at.is_map() && level.names == Level::Names::kKeys;
    if (value->root().is_null() && at.is_map() && level.names != Level::Names::kGiven) return file_.Remove(path);
    const std::vector<size_t> above(path.begin(), path.end() - 1);
    file_.Replace(path, std::move(value));
    if (is_key) RemoveExcluded(at, level, name, above);
  }

  void AddAt(const Yaml& at, const Level& level, std::string_view before, std::string_view rest,
             const std::vector<size_t>& path, std::unique_ptr<YamlDocument> value) {
    if (at.is_scalar()) {
      return Fail("'", before, "' is ", at.Describe(), ", and no mapping that could have '", rest,
                  "': set all of it, --set ", before, "=...");
    }
    if (level.names == Level::Names::kGiven) return FailToFind(at, before, rest);
    if (value->root().is_null()) return FailToFind(at, before, rest);
    const std::vector<std::string> keys = Split(level, rest);
    if (keys.empty() || std::find(keys.begin(), keys.end(), "") != keys.end())
      return Fail("the path '", set_.path, "' has an empty key: keys have one dot between them, as train.steps");
    file_.Add(path, keys, std::move(value));
    if (keys.size() == 1 && level.names == Level::Names::kKeys) RemoveExcluded(at, level, rest, path);
  }

  // The keys of a path below a level at which nothing of it is there: names of the user's are whole.
  static std::vector<std::string> Split(Level level, std::string_view rest) {
    std::vector<std::string> keys;
    while (!rest.empty()) {
      const bool is_one = level.names == Level::Names::kKeys || level.names == Level::Names::kKeysOrNames;
      const size_t end = is_one ? std::min(rest.find('.'), rest.size()) : rest.size();
      keys.emplace_back(rest.substr(0, end));
      level = Below(level, keys.back());
      rest = Behind(rest, end);
    }
    return keys;
  }

  void FailToFind(const Yaml& at, std::string_view before, std::string_view rest) {
    const std::vector<std::string> names = KeysOf(at);
    std::string near = Nearest(rest, names);
    if (near.empty()) near = Nearest(rest.substr(0, rest.find('.')), names);
    constexpr size_t kMaxNamed = 12;
    const bool lists = near.empty() && !names.empty() && names.size() <= kMaxNamed;
    Fail("there is no '", rest, "' in '", before, "'",
         near.empty() ? "" : StrCat(", did you mean '", before, ".", near, "'?"),
         lists ? StrCat(", only ", Join(names)) : "");
  }

  // Removes the keys beside `name` that it takes the place of, but for those that are set as well.
  void RemoveExcluded(const Yaml& at, const Level& level, std::string_view name, const std::vector<size_t>& above) {
    const KeyDef* const def = FindKeyDef(level.keys, name);
    if (def == nullptr) return;
    for (size_t i = at.size(); i-- > 0;) {
      const std::string key(at.key(i).text());
      if (std::find(def->excludes.begin(), def->excludes.end(), key) == def->excludes.end()) continue;
      if (diagnostics_.IsOption(at.value(i).location().file)) continue;
      std::vector<size_t> path = above;
      path.push_back(i);
      file_.Remove(path);
    }
  }

  const SpecOverride& set_;
  const int32_t option_;
  YamlDocument& file_;
  Diagnostics& diagnostics_;
};

// Applies overrides to all files.
class Overrides {
 public:
  Overrides(const std::vector<YamlDocument*>& files, Diagnostics& diagnostics)
      : files_(files), diagnostics_(diagnostics) {}

  void Apply(const SpecOverride& set) {
    constexpr std::string_view kParams = "params.";
    const std::string_view path = set.path;
    const std::string_view param = path.starts_with(kParams) ? path.substr(kParams.size()) : path;
    if (SetParam(std::string(param), set)) return;
    const std::string_view section = path.substr(0, path.find('.'));
    if (!IsSection(section)) return FailToFind(set);
    if (!files_[0]->root().is_map()) return;  // the reader of the file reports it
    const int32_t option = diagnostics_.AddOption(set.shown);
    Setter(set, option, FileOf(section, Behind(path, section.size())), diagnostics_).Set();
  }

  std::set<std::string> Take() { return std::move(params_); }

 private:
  // Sets the param in the first file that has it, to the override's text as it is. Returns false, and changes nothing,
  // where no file has it.
  bool SetParam(const std::string& name, const SpecOverride& set) {
    for (YamlDocument* const file : files_) {
      const std::optional<Yaml> params = MapOf(*file, "params");
      if (!params || !FindKey(*params, name)) continue;
      const size_t path[] = {Position(file->root(), "params"), Position(*params, name)};
      file->Replace(path, YamlDocument::OfText(set.text, diagnostics_.AddOption(set.shown)));
      params_.insert(name);
      return true;
    }
    return false;
  }

  static size_t Position(const Yaml& map, std::string_view key) {
    for (size_t i = 0; i < map.size(); ++i) {
      if (map.key(i).text() == key) return i;
    }
    return map.size();
  }

  static bool IsSection(std::string_view name) {
    const std::vector<const SectionDef*> sections = Sections::List();
    return std::any_of(sections.begin(), sections.end(), [&](const SectionDef* s) { return s->key.name == name; });
  }

  // Functions, nodes and params may be those of a file that is included.
  YamlDocument& FileOf(std::string_view section, std::string_view rest) const {
    for (YamlDocument* const file : files_) {
      const std::optional<Yaml> map = MapOf(*file, section);
      if (map && EntryAt(*map, rest)) return *file;
    }
    YamlDocument* found = files_[0];
    for (auto file = files_.rbegin(); file != files_.rend(); ++file) {
      const std::optional<Yaml> map = MapOf(**file, section);
      if (map && !Nearest(rest.substr(0, rest.find('.')), KeysOf(*map)).empty()) found = *file;
    }
    return *found;
  }

  void FailToFind(const SpecOverride& set) {
    std::vector<std::string> names;
    for (const YamlDocument* const file : files_) {
      const std::optional<Yaml> params = MapOf(*file, "params");
      if (!params) continue;
      for (const std::string& name : KeysOf(*params)) names.push_back(name);
    }
    const size_t dot = set.path.find('.');
    const std::string near = Nearest(set.path, names);
    if (dot == std::string::npos) {
      return diagnostics_.Error({}, "unknown param '", set.path, "'",
                                near.empty() ? "; params are defined in the section 'params', and a key of the spec is "
                                               "named by its path, as train.steps"
                                             : StrCat(", did you mean '", near, "'?"));
    }
    std::vector<std::string> sections;
    for (const SectionDef* section : Sections::List()) sections.push_back(section->key.name);
    const std::string like = Nearest(set.path.substr(0, dot), sections);
    const std::string meant = !near.empty() || like.empty() ? near : StrCat(like, set.path.substr(dot));
    diagnostics_.Error({}, "there is no key and no param '", set.path, "'",
                       meant.empty() ? "" : StrCat(", did you mean '", meant, "'?"));
  }

  const std::vector<YamlDocument*>& files_;
  Diagnostics& diagnostics_;
  std::set<std::string> params_;
};

}  // namespace

Result<std::vector<SpecOverride>> ParseOverrides(const std::vector<std::string>& sets) {
  std::vector<SpecOverride> out;
  for (const std::string& set : sets) {
    const size_t equals = set.find('=');
    if (equals == 0 || equals == std::string::npos)
      return Error(Code::kUsage, "--set takes key=value, not '", set, "'");
    out.push_back({set.substr(0, equals), set.substr(equals + 1), "--set " + set});
  }
  return out;
}

std::set<std::string> ApplyOverrides(const std::vector<SpecOverride>& overrides,
                                     const std::vector<YamlDocument*>& files, Diagnostics& diagnostics) {
  Overrides all(files, diagnostics);
  for (const SpecOverride& set : overrides) all.Apply(set);
  return all.Take();
}

std::optional<SpecOverride> OverrideOfSteps(int64_t steps, const YamlDocument& spec) {
  if (!spec.root().is_map()) return {};
  for (const char* section : {"train", "run"}) {
    if (!FindKey(spec.root(), section)) continue;
    return SpecOverride{StrCat(section, ".steps"), std::to_string(steps), StrCat("--steps ", steps)};
  }
  return {};
}

}  // namespace dfrun
