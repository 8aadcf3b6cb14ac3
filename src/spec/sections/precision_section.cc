#include "src/spec/section.h"

namespace dfrun {
namespace {

const std::vector<std::string>& Precisions() {
  static const std::vector<std::string>& precisions = *new std::vector<std::string>{"float32", "tf32"};
  return precisions;
}

void ReadPrecision(const Yaml& section, SourceLocation /*location*/, const SectionContext& context, JobSpec& job) {
  const std::optional<int> choice = context.reader.Choice(section, "'precision'", Precisions());
  if (choice) job.arithmetic.tf32 = *choice == 1;
}

SPEC_SECTION(SectionDef{
    .key = {.name = "precision", .kind = KeyKind::kChoice, .choices = Precisions(), .default_text = "float32"},
    .order = 35,
    .read = &ReadPrecision});

}  // namespace
}  // namespace dfrun
