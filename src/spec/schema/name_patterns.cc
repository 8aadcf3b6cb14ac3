#include "src/spec/schema/name_patterns.h"

#include "src/base/text.h"

namespace dfrun {
namespace {

bool ReadPattern(const Yaml& value, std::string_view what, ValueReader& reader, std::vector<LocatedPattern>& out) {
  std::optional<std::string> text = reader.Text(value, what);
  if (!text) return false;
  if (text->empty() || text->find_first_of(" \t\n") != std::string::npos) {
    reader.diagnostics().Error(value.location(), what, " takes names and patterns of them, and no name is '", *text,
                               "'; several are a list, [a, b]");
    return false;
  }
  out.push_back({NamePattern(*std::move(text)), value.location()});
  return true;
}

}  // namespace

std::optional<std::vector<LocatedPattern>> ReadNamePatterns(const Yaml& value, std::string_view what,
                                                            ValueReader& reader) {
  std::vector<LocatedPattern> patterns;
  bool good = true;
  if (value.is_sequence()) {
    for (size_t i = 0; i < value.size(); ++i) good = ReadPattern(value.item(i), what, reader, patterns) && good;
  } else {
    good = ReadPattern(value, what, reader, patterns);
  }
  if (!good) return {};
  return patterns;
}

std::string DescribeUnmatched(const NamePattern& pattern, const std::vector<std::string>& names,
                              std::string_view kind) {
  std::vector<std::string> nearest;
  for (const std::string& name : NearestNames(pattern, names)) nearest.push_back(StrCat("'", name, "'"));
  const std::string there = nearest.empty()       ? "; there is none"
                            : nearest.size() == 1 ? StrCat("; the nearest is ", nearest[0])
                                                  : StrCat("; the nearest are ", Join(nearest));
  const bool is_name = pattern.num_stars() == 0 && !pattern.HasOtherSpecials();
  return StrCat("'", pattern.text(), "' ", is_name ? "is no " : "matches no ", kind, there);
}

std::vector<bool> MatchNames(const std::vector<LocatedPattern>& patterns, const std::vector<std::string>& names,
                             std::string_view kind, Diagnostics& diagnostics) {
  std::vector<bool> matched(names.size(), false);
  for (const LocatedPattern& located : patterns) {
    bool is_used = false;
    for (size_t i = 0; i < names.size(); ++i) {
      if (!located.pattern.Matches(names[i])) continue;
      matched[i] = true;
      is_used = true;
    }
    if (!is_used) diagnostics.Error(located.location, DescribeUnmatched(located.pattern, names, kind));
  }
  return matched;
}

}  // namespace dfrun
