#include "src/spec/section.h"

namespace dfrun {
namespace {

void ReadFingerprint(const Yaml& section, SourceLocation, const SectionContext& context, JobSpec& job) {
  if (const std::optional<bool> wanted = context.reader.Bool(section, "'fingerprint'")) job.fingerprint = *wanted;
}

SPEC_SECTION(SectionDef{.key = {.name = "fingerprint", .kind = KeyKind::kBool, .default_text = "true"},
                        .order = 146,
                        .read = &ReadFingerprint});

}  // namespace
}  // namespace dfrun
