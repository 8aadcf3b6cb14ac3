#include "src/spec/section.h"

namespace dfrun {
namespace {

void ReadEvents(const Yaml& section, SourceLocation /*location*/, const SectionContext& context, JobSpec& job) {
  job.events = context.reader.Bool(section, "'events'").value_or(job.events);
}

SPEC_SECTION(SectionDef{
    .key = {.name = "events", .kind = KeyKind::kBool, .default_text = "true"}, .order = 145, .read = &ReadEvents});

}  // namespace
}  // namespace dfrun
