#include "src/job/rule_change.h"

#include <algorithm>
#include <utility>

#include "src/base/registry.h"
#include "src/base/text.h"

namespace dfrun {
namespace {

constexpr const char* kRules = "rules";

Registry<RuleChangeDef>& RuleChanges() {
  static Registry<RuleChangeDef>& all = *new Registry<RuleChangeDef>();
  return all;
}

// "a b": names hold no blanks.
bool Names(const std::vector<SavedSetting>& saved, const std::string& rule) {
  const auto rules = std::find_if(saved.begin(), saved.end(), [](const SavedSetting& s) { return s.name == kRules; });
  return rules != saved.end() && StrCat(" ", rules->value, " ").find(StrCat(" ", rule, " ")) != std::string::npos;
}

}  // namespace

SavedSetting KnownRules() {
  std::vector<std::string> names;
  for (const auto& [name, def] : RuleChanges().all()) names.push_back(name);
  return {kRules, Join(names, " ")};
}

std::vector<std::string> RulesConcerning(const LoadedSpec& spec, const JobGraph& graph) {
  std::vector<std::string> concerning;
  for (const auto& [name, def] : RuleChanges().all()) {
    if (def.concerns(spec, graph)) concerning.push_back(name);
  }
  return concerning;
}

std::vector<std::string> DescribeRuleChanges(const std::vector<SavedSetting>& saved,
                                             const std::vector<std::string>& concerning) {
  std::vector<std::string> clauses;
  for (const std::string& rule : concerning) {
    if (!Names(saved, rule)) clauses.push_back(RuleChanges().Find(rule)->says);
  }
  return clauses;
}

namespace internal {

RuleChangeRegistration::RuleChangeRegistration(const char* name, RuleChangeDef def) {
  RuleChanges().Add(name, std::move(def));
}

}  // namespace internal

}  // namespace dfrun
