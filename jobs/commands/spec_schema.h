// The JSON Schema of specs, for editors.
#ifndef DFRUN_JOBS_COMMANDS_SPEC_SCHEMA_H_
#define DFRUN_JOBS_COMMANDS_SPEC_SCHEMA_H_

#include <string>

namespace dfrun::jobs {

// Returns a schema of Draft-07. Sections and their keys are those of docs/spec.md; ops, their attrs and inputs are
// those of the registry. It accepts every valid spec; only `dfrun check` checks what a schema cannot express, such as
// expressions and names of nodes.
std::string SpecSchema();

}  // namespace dfrun::jobs

#endif  // DFRUN_JOBS_COMMANDS_SPEC_SCHEMA_H_
