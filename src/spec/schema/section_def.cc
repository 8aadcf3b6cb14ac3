#include "src/spec/schema/section_def.h"

#include <algorithm>

#include "src/base/registry.h"
#include "src/spec/schema/alternatives.h"
#include "src/spec/schema/near_key.h"

namespace dfrun {
namespace {

Registry<SectionDef>& All() {
  static Registry<SectionDef>& all = *new Registry<SectionDef>();
  return all;
}

}  // namespace

std::vector<const SectionDef*> Sections::List() {
  std::vector<const SectionDef*> sections;
  for (const auto& [name, def] : All().all()) sections.push_back(&def);
  std::sort(sections.begin(), sections.end(),
            [](const SectionDef* a, const SectionDef* b) { return a->order < b->order; });
  return sections;
}

const SectionDef& Sections::Get(std::string_view name) {
  return *All().Find(name);
}

std::string Sections::AboutKey(std::string_view key) {
  const auto tell = [](const SectionDef& section, std::string_view its_key) {
    return StrCat("; '", its_key, "' is a key of ",
                  section.key.kind == KeyKind::kInputs ? "an input" : StrCat("the section '", section.key.name, "'"));
  };
  std::string near;
  for (const SectionDef* section : List()) {
    if (section->key.name == key) return StrCat("; '", key, "' is a section of its own");
    if (section->key.keys.empty() || section->key.kind == KeyKind::kNamedMappings) continue;
    const std::vector<std::string> names = NamesOf(WithAlternatives(section->key.keys));
    if (std::find(names.begin(), names.end(), key) != names.end()) return tell(*section, key);
    const std::string like = near.empty() ? KeyOfWords(key, names) : "";
    if (!like.empty()) near = tell(*section, like);
  }
  return near;
}

namespace internal {

SectionRegistration::SectionRegistration(SectionDef def) {
  std::string name = def.key.name;
  All().Add(std::move(name), std::move(def));
}

}  // namespace internal

}  // namespace dfrun
