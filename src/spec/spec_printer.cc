#include "src/spec/spec_printer.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>
#include <vector>

#include "src/base/printable.h"
#include "src/base/text.h"
#include "src/spec/schema/alternatives.h"
#include "src/spec/schema/input_path.h"
#include "src/spec/schema/section_def.h"
#include "src/spec/yaml/yaml_text.h"
#include "src/storage/sample_source.h"

namespace dfrun {
namespace {

namespace fs = std::filesystem;

constexpr int kIndent = 2;
constexpr std::string_view kDefault = "default";

// Names the places that values come from.
class Origins {
 public:
  explicit Origins(const Diagnostics& diagnostics) : diagnostics_(diagnostics) {
    for (const std::string& file : diagnostics.files()) ++files_[NameOf(file)];
  }

  // "nn.yaml:41", "--set", "default". Of two files of one name both have their paths.
  std::string Of(SourceLocation location) const {
    if (location.file < 0) return std::string(kDefault);
    const std::string& file = diagnostics_.files()[static_cast<size_t>(location.file)];
    if (diagnostics_.IsOption(location.file)) return file.substr(0, file.find(' '));
    const std::string name = NameOf(file);
    return PrintableLine(StrCat(files_.at(name) > 1 ? file : name, ":", location.line));
  }

 private:
  static std::string NameOf(const std::string& file) { return fs::path(file).filename().string(); }

  const Diagnostics& diagnostics_;
  std::map<std::string, int> files_;  // how many there are of each name
};

// Words of a text, of which some may be names of functions.
void AddWords(const Yaml& value, std::set<std::string, std::less<>>& words) {
  if (value.is_scalar()) {
    std::string word;
    for (const char c : StrCat(value.text(), " ")) {
      if (IsIdentifier(std::string_view(&c, 1)) || c == '-' || c == '/' || c == '.') {
        word += c;
      } else {
        words.insert(std::move(word));
        word.clear();
      }
    }
  }
  if (value.is_sequence()) {
    for (size_t i = 0; i < value.size(); ++i) AddWords(value.item(i), words);
  }
  if (value.is_map()) {
    for (size_t i = 0; i < value.size(); ++i) AddWords(value.value(i), words);
  }
}

class Printer {
 public:
  explicit Printer(const PrintedSpec& spec) : spec_(spec), origins_(spec.reader.diagnostics()) {}

  std::string Print() {
    for (const SectionDef* def : Sections::List()) Section(*def);
    return std::move(out_);
  }

 private:
  using Keys = std::vector<KeyDef>;

  void Line(int indent, std::string_view text, std::string_view origin) {
    out_.append(static_cast<size_t>(indent), ' ');
    out_ += StrCat(text, "  # ", origin, "\n");
  }
  void Line(int indent, std::string_view text, SourceLocation location) { Line(indent, text, origins_.Of(location)); }

  void Section(const SectionDef& def) {
    const std::string& name = def.key.name;
    if (name == "include") return;
    if (name == "params") return Params();
    if (name == "functions") return Functions();
    if (name == "graph") return Graph();
    const Yaml* const section = spec_.document.FindSection(name);
    if (section != nullptr) return Key(0, name, spec_.document.Location(name), *section, &def.key);
    const std::string fallback = name == "name" ? spec_.job.name : def.key.default_text;
    if (!fallback.empty()) Default(0, name, fallback);
  }

  void Params() {
    std::set<std::string_view> seen;
    for (const ParamEntry& entry : spec_.document.params) {
      if (seen.empty()) Line(0, "params:", entry.name.location());
      if (seen.insert(entry.name.text()).second) Entry(kIndent, entry.name, entry.value);
    }
  }

  // The functions of the user's own files, and those of the library that something names or calls.
  void Functions() {
    const std::map<std::string_view, const FunctionDef*> kept = KeptFunctions();
    if (kept.empty()) return;
    is_template_ = true;
    Line(0, "functions:", kept.begin()->second->location);
    for (const auto& [name, def] : kept) Key(kIndent, name, def->location, *def->written, nullptr);
    is_template_ = false;
  }

  // A function of the library is named where its name is a word of what is printed, of kept functions too.
  std::map<std::string_view, const FunctionDef*> KeptFunctions() const {
    std::set<std::string, std::less<>> words;
    for (const GraphEntry& entry : spec_.document.graph) AddWords(entry.value, words);
    for (const ParamEntry& entry : spec_.document.params) AddWords(entry.value, words);
    for (const auto& [name, section] : spec_.document.sections) {
      if (name != "functions") AddWords(section.value, words);
    }
    std::map<std::string_view, const FunctionDef*> kept;
    for (bool grows = true; grows;) {
      grows = false;
      for (const auto& [name, def] : spec_.document.functions) {
        const bool is_library = spec_.reader.diagnostics().IsLibrary(def.location.file);
        if (is_library && !spec_.is_called(def) && !words.contains(name)) continue;
        if (!kept.emplace(name, &def).second) continue;
        AddWords(*def.written, words);
        grows = true;
      }
    }
    return kept;
  }

  void Graph() {
    const std::vector<GraphEntry>& entries = spec_.document.graph;
    if (entries.empty()) return;
    Line(0, "graph:", entries[0].name.location());
    for (const GraphEntry& entry : entries) Entry(kIndent, entry.name, entry.value);
  }

  void Default(int indent, const std::string& key, const std::string& text) {
    Line(indent, StrCat(YamlText(key, YamlPlace::kKey), ": ", YamlText(text, YamlPlace::kBlock)), kDefault);
  }

  void Entry(int indent, const Yaml& key, const Yaml& value) {
    Key(indent, key.text(), key.location(), value, nullptr);
  }

  // Prints a key with its value; `def` may be null.
  void Key(int indent, std::string_view key, SourceLocation location, const Yaml& value, const KeyDef* def) {
    const std::string head = YamlText(key, YamlPlace::kKey) + ":";
    if (!value.is_map()) {
      const bool is_path = def != nullptr && def->kind == KeyKind::kPath;
      are_paths_ = are_paths_ || is_path;
      Value(indent, head, location, value);
      are_paths_ = are_paths_ && !is_path;
      return;
    }
    Map(indent, head, location, [&] { Children(indent + kIndent, value, def); });
  }

  // Prints a mapping, whose entries `children` prints: all of them may be defaults, and there may be none.
  void Map(int indent, const std::string& head, SourceLocation location, const std::function<void()>& children) {
    const size_t begin = out_.size();
    Line(indent, head, location);
    const size_t end = out_.size();
    children();
    if (out_.size() > end) return;
    out_.resize(begin);
    Line(indent, head + " {}", location);
  }

  void Children(int indent, const Yaml& map, const KeyDef* def) {
    const KeyKind kind = def == nullptr ? KeyKind::kAny : def->kind;
    if (IsOfKeys(kind) || (kind == KeyKind::kEvaluations && HasOneOf(def->keys, map)))
      return Mapping(indent, map, def->keys);
    const bool has_mappings = kind == KeyKind::kTensors || kind == KeyKind::kInputs || kind == KeyKind::kEvaluations;
    for (size_t i = 0; i < map.size(); ++i) {
      const Yaml value = map.value(i);
      const std::string_view key = map.key(i).text();
      if (!value.is_map() || !has_mappings) {
        Entry(indent, map.key(i), value);
        continue;
      }
      Map(indent, YamlText(key, YamlPlace::kKey) + ":", map.key(i).location(), [&] {
        if (kind == KeyKind::kInputs) {
          Input(indent + kIndent, value, def->keys);
        } else {
          Mapping(indent + kIndent, value, def->keys);
        }
      });
    }
  }

  static bool IsOfKeys(KeyKind kind) {
    return kind == KeyKind::kMapping || kind == KeyKind::kChoice || kind == KeyKind::kSchedule ||
           kind == KeyKind::kMetric;
  }

  static bool HasOneOf(const Keys& keys, const Yaml& map) {
    return std::any_of(keys.begin(), keys.end(), [&](const KeyDef& key) { return FindKey(map, key.name); });
  }

  // Prints the keys in the order of their definitions, and the defaults of those that are not there.
  void Mapping(int indent, const Yaml& map, const Keys& keys) {
    for (const KeyDef& key : keys) {
      if (key.kind == KeyKind::kAlternativeKeys) {
        Mapping(indent, map, KeysOfChosen(key.alternatives(), map));
      } else if (key.kind == KeyKind::kDeviceCounts || key.kind == KeyKind::kDeviceMemory) {
        Mapping(indent, map, WithAlternatives({key}));
      } else {
        KeyOf(indent, map, key);
      }
    }
  }

  void KeyOf(int indent, const Yaml& map, const KeyDef& key) {
    for (size_t i = 0; i < map.size(); ++i) {
      if (map.key(i).text() == key.name) return Key(indent, key.name, map.key(i).location(), map.value(i), &key);
    }
    if (key.has_default != nullptr && !key.has_default(map, spec_.reader)) return;
    const std::string text = DefaultOf(key);
    if (!text.empty()) Default(indent, key.name, text);
  }

  static std::string DefaultOf(const KeyDef& key) {
    if (key.kind == KeyKind::kAlternative) return key.alternatives().fallback();
    return key.fallback ? Alternatives::Print(*key.fallback) : key.default_text;
  }

  Keys KeysOfChosen(const Alternatives& all, const Yaml& map) {
    std::string name = all.fallback();
    if (const std::optional<Yaml> chosen = FindKey(map, all.key())) {
      name = spec_.reader.Text(*chosen, all.key()).value_or(name);
    }
    const AlternativeDef* const def = all.Find(name);
    return def == nullptr ? Keys() : def->keys;
  }

  void Input(int indent, const Yaml& map, const Keys& common) {
    const SampleFormat* format = nullptr;
    for (const SampleFormat* known : SampleFormats::List()) {
      if (format == nullptr && FindKey(map, known->name)) format = known;
    }
    if (format == nullptr) return;
    are_paths_ = true;
    KeyOf(indent, map, {.name = format->name});
    are_paths_ = false;
    for (const SampleOption& option : format->options) KeyOf(indent, map, {.name = option.name});
    if (!FindKey(map, "tensors") && !format->default_fields.empty()) {
      Line(indent, "tensors:", kDefault);
      for (const auto& [name, from] : format->default_fields) Default(indent + kIndent, name, from);
    }
    Mapping(indent, map, common);
  }

  // Prints a value that is no mapping.
  void Value(int indent, std::string head, SourceLocation location, const Yaml& value) {
    if (value.is_null()) return Line(indent, head + " ~", location);
    if (value.is_scalar()) {
      const std::string text = TextOf(value);
      return Line(indent, StrCat(head, " ", YamlText(text, YamlPlace::kBlock)), About(value, text));
    }
    if (const std::optional<std::string> flow = Flow(value)) {
      return Line(indent, StrCat(head, " ", *flow), value.location());
    }
    Line(indent, head, location);
    for (size_t i = 0; i < value.size(); ++i) Item(indent + kIndent, value.item(i));
  }

  void Item(int indent, const Yaml& item) {
    if (!item.is_map()) return Value(indent, "-", item.location(), item);
    Map(indent, "-", item.location(), [&] { Children(indent + kIndent, item, nullptr); });
  }

  // A list of scalars, and of lists of them, of one line of a file; nothing for others.
  std::optional<std::string> Flow(const Yaml& list) {
    return IsOfOneLine(list, FirstIn(list)) ? std::optional(FlowText(list)) : std::nullopt;
  }

  static SourceLocation FirstIn(const Yaml& value) {
    return value.is_sequence() && value.size() > 0 ? FirstIn(value.item(0)) : value.location();
  }

  static bool IsOfOneLine(const Yaml& value, SourceLocation line) {
    if (value.is_map() || value.is_null()) return false;
    if (!value.is_sequence()) return value.location().file == line.file && value.location().line == line.line;
    for (size_t i = 0; i < value.size(); ++i) {
      if (!IsOfOneLine(value.item(i), line)) return false;
    }
    return true;
  }

  std::string FlowText(const Yaml& value) {
    if (value.is_scalar()) return YamlText(TextOf(value), YamlPlace::kFlow);
    std::string text = "[";
    for (size_t i = 0; i < value.size(); ++i) text += StrCat(i > 0 ? ", " : "", FlowText(value.item(i)));
    return text + "]";
  }

  // The text of a scalar; of a path one that holds from any directory.
  std::string TextOf(const Yaml& scalar) {
    const std::string text(scalar.text());
    if (!are_paths_) return text;
    const std::string path = Resolved(scalar).value_or(text);
    if (fs::path(path).is_absolute()) return text;
    const std::string absolute = InputPath(Directory(), path);
    return absolute.substr(0, absolute.size() - path.size()) + text;
  }

  std::string Directory() const {
    const fs::path directory = fs::path(spec_.job.path).parent_path();
    std::error_code error;
    const fs::path absolute = fs::canonical(directory.empty() ? "." : directory, error);
    return error ? fs::absolute(directory).string() : absolute.string();
  }

  // The scalar with its params replaced; nothing where that is not possible, as within functions.
  std::optional<std::string> Resolved(const Yaml& scalar) const {
    if (is_template_) return {};
    TextPool pool;
    Diagnostics unheeded;
    const LocatedText* const text = spec_.params.Substitute(scalar, pool, unheeded);
    return text == nullptr ? std::nullopt : std::optional<std::string>(text->text());
  }

  // The origin of a scalar, and what its params make of it.
  std::string About(const Yaml& scalar, std::string_view text) const {
    constexpr size_t kMaxShown = 60;
    std::string origin = origins_.Of(scalar.location());
    if (text.find("${") == std::string_view::npos) return origin;
    const std::optional<std::string> resolved = Resolved(scalar);
    if (!resolved || resolved->size() > kMaxShown) return origin;
    return StrCat(origin, ", ", PrintableLine(*resolved));
  }

  const PrintedSpec& spec_;
  const Origins origins_;
  std::string out_;
  bool is_template_ = false;  // a part of a function is printed
  bool are_paths_ = false;    // scalars are paths of input files
};

}  // namespace

std::string PrintSpec(const PrintedSpec& spec) {
  return Printer(spec).Print();
}

}  // namespace dfrun
