#include "src/spec/section_def.h"

#include <algorithm>

#include "src/base/registry.h"

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

bool Sections::Check(std::string_view name, const Yaml& section, Diagnostics& diagnostics) {
  return CheckKeys(section, Get(name).key.keys, StrCat("the section '", name, "'"), diagnostics);
}

namespace internal {

SectionRegistration::SectionRegistration(SectionDef def) {
  std::string name = def.key.name;
  All().Add(std::move(name), std::move(def));
}

}  // namespace internal

}  // namespace dfrun
