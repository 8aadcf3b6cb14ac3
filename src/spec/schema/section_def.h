// The sections of a spec. Each is declared once, in the file that reads it:
//
//   SPEC_SECTION(SectionDef{.key = {.name = "trace", .kind = KeyKind::kMapping, .keys = {{"steps", KeyKind::kInt}}},
//                           .order = 150, .read = &ReadTrace});
//
// By the declarations files are checked and read, and the JSON schema is written (jobs/commands/spec_schema.h).
#ifndef DFRUN_SRC_SPEC_SCHEMA_SECTION_DEF_H_
#define DFRUN_SRC_SPEC_SCHEMA_SECTION_DEF_H_

#include <string>
#include <string_view>
#include <vector>

#include "src/spec/schema/key_def.h"

namespace dfrun {

struct JobSpec;
struct SectionContext;  // src/spec/section.h

struct SectionDef {
  KeyDef key;
  int order = 0;                   // among the sections: in lists of them, and when they are read
  bool in_included_files = false;  // else in the job's own file alone
  // The form of the model that the section is about: that of training, that of evaluation, or any. In another one it
  // may name nodes that are not there.
  enum class Form { kAny, kTraining, kEvaluation };
  Form form = Form::kAny;
  // Reads the section into the job and reports its errors. Null where load.h reads it before the graph is there.
  void (*read)(const Yaml& section, SourceLocation location, const SectionContext& context, JobSpec& job) = nullptr;
};

// Thread safety: registration ends before main(); then any thread.
class Sections {
 public:
  // Lists the sections in their order.
  static std::vector<const SectionDef*> List();
  // Returns a registered section.
  static const SectionDef& Get(std::string_view name);
  // Explains a key in a place where it is unknown: "; 'batch' is a key of an input". Empty where no section has one
  // like it.
  static std::string AboutKey(std::string_view key);
};

namespace internal {
struct SectionRegistration {
  explicit SectionRegistration(SectionDef def);
};
}  // namespace internal

#define SPEC_SECTION(...) \
  [[maybe_unused]] static const ::dfrun::internal::SectionRegistration DF_CONCAT(df_section_, __COUNTER__)(__VA_ARGS__)

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_SCHEMA_SECTION_DEF_H_
