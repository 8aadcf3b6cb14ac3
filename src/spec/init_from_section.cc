// Reads `init_from:`, from what file variables take their first values.
#include <algorithm>
#include <filesystem>

#include "src/spec/document.h"
#include "src/spec/schema/check_keys.h"
#include "src/spec/schema/name_patterns.h"
#include "src/spec/section.h"

namespace dfrun {
namespace {

class InitFromReader {
 public:
  InitFromReader(const Yaml& map, SourceLocation location, const SectionContext& context, const std::string& spec)
      : map_(map),
        context_(context),
        diagnostics_(context.reader.diagnostics()),
        spec_path_(spec),
        names_(NamesOfVariables(context)) {
    spec_.location = location;
  }

  std::optional<InitFromSpec> Read() {
    if (!CheckSection("init_from", map_, diagnostics_)) return {};
    bool good = ReadName();
    good = ReadChoices() && good;
    good = ReadRenames() && good;
    if (!good) return {};
    return spec_;
  }

 private:
  bool ReadName() {
    const std::optional<Yaml> value = FindKey(map_, "checkpoint");
    if (!value) {
      diagnostics_.Error(spec_.location, "'init_from' lacks 'checkpoint', the run, checkpoint or file with the values");
      return false;
    }
    const std::optional<std::string> text = context_.reader.Text(*value, "'checkpoint'");
    if (!text) return false;
    spec_.location = value->location();
    spec_.as_given = *text;
    spec_.name = (std::filesystem::path(spec_path_).parent_path() / *text).string();
    if (!text->empty()) return true;
    diagnostics_.Error(value->location(), "'checkpoint' names a run, a checkpoint or a file");
    return false;
  }

  // Tells for each of `names_` whether the patterns of a key choose it; `without` where the spec lacks the key.
  std::optional<std::vector<bool>> ReadChosen(const char* key, bool without) {
    const std::optional<Yaml> value = FindKey(map_, key);
    if (!value) return std::vector<bool>(names_.size(), without);
    const std::string what = std::string("'") + key + "'";
    const std::optional<std::vector<LocatedPattern>> patterns = ReadNamePatterns(*value, what, context_.reader);
    if (!patterns) return {};
    // Variables may be missing for other reasons, which have been reported.
    if (!diagnostics_.ok()) return std::vector<bool>(names_.size(), without);
    return MatchNames(*patterns, names_, "variable of the graph", diagnostics_);
  }

  bool ReadChoices() {
    const std::optional<std::vector<bool>> only = ReadChosen("only", true);
    const std::optional<std::vector<bool>> except = ReadChosen("except", false);
    const std::optional<std::vector<bool>> fresh = ReadChosen("new", false);
    if (!only || !except || !fresh) return false;
    using Choice = InitFromSpec::Choice;
    size_t i = 0;
    for (const VariableSpec& variable : context_.lowering.variables()) {
      const bool is_position = IsPosition(variable.node, context_);
      const bool is_chosen = !is_position && (*only)[i] && !(*except)[i];
      spec_.choices.push_back(!is_chosen ? Choice::kExcluded : (*fresh)[i] ? Choice::kNew : Choice::kTaken);
      if (!is_position) ++i;
    }
    return diagnostics_.ok();
  }

  bool ReadRenames() {
    const std::optional<Yaml> map = FindKey(map_, "rename");
    if (!map) return true;
    if (!CheckMap(*map, "'rename'", diagnostics_)) return false;
    bool good = true;
    for (size_t i = 0; i < map->size(); ++i) good = ReadRename(map->key(i), map->value(i)) && good;
    return good;
  }

  bool ReadRename(const Yaml& there, const Yaml& here) {
    const std::optional<std::string> to = context_.reader.Text(here, StrCat("what '", there.text(), "' is here"));
    if (!to) return false;
    const NamePattern from(std::string(there.text()));
    const NamePattern pattern(*to);
    if (pattern.HasOtherSpecials() || pattern.num_stars() != from.num_stars()) {
      diagnostics_.Error(here.location(), "'", *to, "' must have the stars of '", there.text(),
                         "' and nothing else that a pattern has: each stands for what that of the other does");
      return false;
    }
    const bool is_known =
        std::any_of(names_.begin(), names_.end(), [&](const std::string& name) { return pattern.Matches(name); });
    if (diagnostics_.ok() && !is_known) {
      diagnostics_.Error(here.location(), DescribeUnmatched(pattern, names_, "variable of the graph"));
      return false;
    }
    spec_.renames.push_back({from.text(), *to, there.location()});
    return true;
  }

  const Yaml& map_;
  const SectionContext& context_;
  Diagnostics& diagnostics_;
  const std::string& spec_path_;
  InitFromSpec spec_;
  const std::vector<std::string> names_;  // names of the variables that can be chosen
};

void ReadInitFrom(const Yaml& section, SourceLocation location, const SectionContext& context, JobSpec& job) {
  job.init_from = InitFromReader(section, location, context, job.path).Read();
}

SPEC_SECTION(SectionDef{.key = {.name = "init_from",
                                .kind = KeyKind::kMapping,
                                .keys = {{.name = "checkpoint", .kind = KeyKind::kPath, .required = true},
                                         {"only", KeyKind::kNames},
                                         {"except", KeyKind::kNames},
                                         {"rename", KeyKind::kAnyMapping},
                                         {"new", KeyKind::kNames}}},
                        .order = 135,
                        .read = &ReadInitFrom});

}  // namespace
}  // namespace dfrun
