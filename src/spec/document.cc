#include "src/spec/document.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

#include "src/base/configs_folder.h"
#include "src/base/log.h"
#include "src/base/path_hint.h"
#include "src/base/text.h"
#include "src/spec/schema/check_keys.h"
#include "src/spec/schema/schema.h"
#include "src/spec/schema/section_def.h"
#include "src/spec/yaml/source_text.h"

namespace dfrun {
namespace {

namespace fs = std::filesystem;

SPEC_SECTION(SectionDef{.key = {.name = "dfrun", .kind = KeyKind::kVersion}, .order = 10, .in_included_files = true});
SPEC_SECTION(SectionDef{
    .key = {.name = "params", .kind = KeyKind::kAnyMapping}, .order = 40, .in_included_files = true});
SPEC_SECTION(SectionDef{.key = {.name = "include", .kind = KeyKind::kNames}, .order = 50, .in_included_files = true});
SPEC_SECTION(SectionDef{.key = {.name = "functions", .kind = KeyKind::kNamedMappings, .keys = FunctionKeys()},
                        .order = 80,
                        .in_included_files = true});
SPEC_SECTION(SectionDef{.key = {.name = "graph", .kind = KeyKind::kNodes}, .order = 90, .in_included_files = true});

// The names of the sections of a job's own file, or of an included one.
std::vector<std::string> SectionNames(bool is_included) {
  std::vector<std::string> names;
  for (const SectionDef* def : Sections::List()) {
    if (!is_included || def->in_included_files) names.push_back(def->key.name);
  }
  return names;
}

// Reads all files depth first, then changes their values, then merges them.
class Reader {
 public:
  explicit Reader(Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  Result<SpecDocument> Read(const std::string& path, const SpecChanges& changes) {
    Result<std::string> text = ReadSpecFile(path);
    if (!text.ok() && text.status().code() != Code::kBadSpec) return std::move(text).status();
    AddFile(path, std::move(text), diagnostics_.AddFile(path), changes);
    if (files_.empty()) return std::move(doc_);
    Change(changes);
    AddSections(*files_[0]);
    for (const std::unique_ptr<File>& file : files_) doc_.files.push_back(std::move(file->yaml));
    return std::move(doc_);
  }

 private:
  struct File {
    std::unique_ptr<YamlDocument> yaml;
    std::vector<File*> includes = {};
  };

  // Reads a file and those that it includes. Changes of what it includes are made at once.
  File* AddFile(const std::string& path, Result<std::string> text, int32_t file, const SpecChanges& changes = {}) {
    if (!text.ok()) {
      diagnostics_.Error({file, 1, 1}, text.status());
      return nullptr;
    }
    if (!CheckSpecText(*text, file, diagnostics_)) return nullptr;
    std::unique_ptr<YamlDocument> yaml = Parse(*std::move(text), file);
    if (!yaml) return nullptr;
    const bool is_main = files_.empty();
    if (is_main) ChangeIncludes(changes, *yaml);
    const Yaml root = yaml->root();
    File* const added = files_.emplace_back(std::make_unique<File>(File{std::move(yaml)})).get();
    open_.push_back(Canonical(path));
    seen_.insert(open_.back());
    const bool good = is_main ? root.is_map() : CheckIncludedKeys(root);
    const std::optional<Yaml> include = good ? FindKey(root, "include") : std::nullopt;
    if (include) AddIncludes(*include, path, *added);
    open_.pop_back();
    return good ? added : nullptr;
  }

  static bool IsOfInclude(const SpecOverride& set) { return set.path == "include" || set.path.starts_with("include."); }

  void ChangeIncludes(const SpecChanges& changes, YamlDocument& spec) {
    std::vector<SpecOverride> of_include;
    std::copy_if(changes.overrides.begin(), changes.overrides.end(), std::back_inserter(of_include), &IsOfInclude);
    ApplyOverrides(of_include, {&spec}, diagnostics_);
  }

  void Change(const SpecChanges& changes) {
    std::vector<SpecOverride> overrides;
    std::remove_copy_if(changes.overrides.begin(), changes.overrides.end(), std::back_inserter(overrides),
                        &IsOfInclude);
    const std::optional<SpecOverride> steps =
        changes.steps ? OverrideOfSteps(*changes.steps, *files_[0]->yaml) : std::nullopt;
    if (steps) overrides.push_back(*steps);
    std::vector<YamlDocument*> files;
    for (const std::unique_ptr<File>& file : files_) files.push_back(file->yaml.get());
    doc_.overridden_params = ApplyOverrides(overrides, files, diagnostics_);
  }

  // Errors quote nothing of a file that is not known to be a spec, since any file may be included.
  std::unique_ptr<YamlDocument> Parse(std::string text, int32_t file) {
    const bool is_main = files_.empty();
    std::unique_ptr<YamlDocument> yaml = YamlDocument::Parse(std::move(text), file, diagnostics_, is_main);
    if (!yaml || is_main || HasIncludedKey(yaml->root())) return yaml;
    diagnostics_.Error({file, 1, 1}, "this is no file to include: it is no mapping that has any of ",
                       Join(SectionNames(true)));
    return nullptr;
  }

  static bool HasIncludedKey(const Yaml& root) {
    const std::vector<std::string> keys = SectionNames(true);
    return root.is_map() && std::any_of(keys.begin(), keys.end(),
                                        [&](const std::string& key) { return FindKey(root, key).has_value(); });
  }

  static std::string Canonical(const std::string& path) {
    std::error_code error;
    fs::path canonical = fs::weakly_canonical(path, error);
    return error ? path : canonical.string();
  }

  void AddSections(const File& file) {
    const Yaml root = file.yaml->root();
    const bool is_main = &file == files_[0].get();
    if (is_main) CheckKeys(root, SectionNames(false), "the spec", diagnostics_);
    if (!root.is_map()) return;
    CheckVersion(root, is_main);
    if (auto params = FindKey(root, "params")) AddParams(*params);
    for (const File* const included : file.includes) AddSections(*included);
    if (auto functions = FindKey(root, "functions")) AddFunctions(*functions);
    if (auto graph = FindKey(root, "graph")) AddGraph(*graph);
    if (!is_main) return;
    for (size_t i = 0; i < root.size(); ++i)
      doc_.sections.emplace(root.key(i).text(), GraphEntry{root.key(i), root.value(i)});
  }

  bool CheckIncludedKeys(const Yaml& root) {
    if (!CheckMap(root, "an included file", diagnostics_)) return false;
    for (size_t i = 0; i < root.size(); ++i) {
      for (const SectionDef* def : Sections::List()) {
        if (def->in_included_files || root.key(i).text() != def->key.name) continue;
        diagnostics_.Error(root.key(i).location(), "'", def->key.name,
                           "' belongs into the job's own file, not into one that is included");
        return false;
      }
    }
    return CheckKeys(root, SectionNames(true), "an included file", diagnostics_);
  }

  void CheckVersion(const Yaml& root, bool required) {
    const std::optional<Yaml> version = FindKey(root, "dfrun");
    if (!version) {
      if (required) diagnostics_.Error(root.location(), "the spec lacks its schema version; write 'dfrun: 1' first");
    } else if (version->text() != "1") {
      diagnostics_.Error(version->location(), "this program reads specs of schema version 1, not ",
                         version->Describe());
    }
  }

  void AddParams(const Yaml& params) {
    if (!CheckMap(params, "the section 'params'", diagnostics_)) return;
    for (size_t i = 0; i < params.size(); ++i) doc_.params.push_back({params.key(i), params.value(i)});
  }

  void AddFunctions(const Yaml& functions) {
    if (!CheckMap(functions, "the section 'functions'", diagnostics_)) return;
    for (size_t i = 0; i < functions.size(); ++i) {
      std::optional<FunctionDef> def = ReadFunction(functions.key(i), functions.value(i), diagnostics_);
      if (!def) continue;
      const std::string name = def->name;
      auto [it, added] = doc_.functions.try_emplace(name, *std::move(def));
      if (!added) Choose(*std::move(def), it->second);
    }
  }

  // Keeps one of two functions of one name. The user's own wins over the library's.
  void Choose(FunctionDef second, FunctionDef& first) {
    const auto is_library = [this](const FunctionDef& def) { return diagnostics_.IsLibrary(def.location.file); };
    if (is_library(first) == is_library(second)) {
      return diagnostics_.Error(second.location, "function '", second.name, "' is defined at ",
                                diagnostics_.Print(first.location), " already");
    }
    if (is_library(first)) std::swap(first, second);
    DF_LOG(kWarning) << diagnostics_.Print(first.location) << ": this function '" << first.name
                     << "' is used in place of the library's, " << diagnostics_.Print(second.location);
  }

  void AddGraph(const Yaml& graph) {
    std::vector<GraphEntry> entries;
    ReadGraphEntries(graph, "the section 'graph'", entries, diagnostics_);
    for (const GraphEntry& e : entries) {
      auto [it, added] = nodes_.emplace(e.name.text(), e.name.location());
      if (added) {
        doc_.graph.push_back(e);
      } else {
        diagnostics_.Error(e.name.location(), "node '", e.name.text(), "' is defined at ",
                           diagnostics_.Print(it->second), " already");
      }
    }
  }

  void AddIncludes(const Yaml& list, const std::string& path, File& by) {
    if (list.is_scalar()) return Include(list, path, by);
    if (!list.is_sequence())
      return diagnostics_.Error(list.location(), "'include' must be a list of files, not ", list.Describe());
    for (size_t i = 0; i < list.size(); ++i) Include(list.item(i), path, by);
  }

  // The path is relative to the file that includes it. If there is no such file, one of those that come with dfrun is
  // taken.
  static std::string FindIncluded(const std::string& name, const std::string& from) {
    std::string near = (fs::path(from).parent_path() / name).string();
    std::error_code error;
    if (fs::exists(near, error) || fs::path(name).is_absolute()) return near;
    const std::string library = ConfigsFolder();
    const std::string installed = (fs::path(library) / name).string();
    return !library.empty() && fs::exists(installed, error) ? installed : near;
  }

  void Include(const Yaml& name, const std::string& from, File& by) {
    if (!name.is_scalar())
      return diagnostics_.Error(name.location(), "an included file is a path, not ", name.Describe());
    const std::string path = FindIncluded(std::string(name.text()), from);
    const std::string canonical = Canonical(path);
    auto open = std::find(open_.begin(), open_.end(), canonical);
    if (open != open_.end()) {
      std::string cycle;
      for (; open != open_.end(); ++open) cycle += fs::path(*open).filename().string() + " -> ";
      return diagnostics_.Error(name.location(), "files include each other: ", cycle,
                                fs::path(canonical).filename().string());
    }
    if (seen_.contains(canonical)) return;
    if (seen_.size() >= kMaxSpecFiles)
      return diagnostics_.Error(name.location(), "more than ", kMaxSpecFiles, " files are included");
    Result<std::string> text = ReadSpecFile(path);
    if (!text.ok() && text.status().code() != Code::kBadSpec)
      return diagnostics_.Error(name.location(), text.status().message(), AboutPath(name.text()));
    if (File* const file = AddFile(path, std::move(text), diagnostics_.AddFile(path))) by.includes.push_back(file);
  }

  Diagnostics& diagnostics_;
  SpecDocument doc_;
  std::vector<std::unique_ptr<File>> files_;  // the spec's own first
  std::vector<std::string> open_;             // the chain of files that are being read, outermost first
  std::set<std::string> seen_;
  std::unordered_map<std::string_view, SourceLocation> nodes_;
};

}  // namespace

const Yaml* SpecDocument::FindSection(std::string_view name) const {
  auto it = sections.find(name);
  return it == sections.end() ? nullptr : &it->second.value;
}

Result<SpecDocument> ReadSpecDocument(const std::string& path, const SpecChanges& changes, Diagnostics& diagnostics) {
  return Reader(diagnostics).Read(path, changes);
}

}  // namespace dfrun
