// Prints a spec as it is understood: with the files that it includes, the values of the command line and all defaults.
#ifndef DFRUN_SRC_SPEC_SPEC_PRINTER_H_
#define DFRUN_SRC_SPEC_SPEC_PRINTER_H_

#include <functional>
#include <string>

#include "src/spec/document.h"
#include "src/spec/job_spec.h"
#include "src/spec/schema/values.h"

namespace dfrun {

// The parts of a spec that has been read without an error. They outlive the call.
struct PrintedSpec {
  const SpecDocument& document;
  const JobSpec& job;
  const Params& params;
  ValueReader& reader;
  // Whether the graph calls a function. Of the library's functions those are left out that nothing calls.
  std::function<bool(const FunctionDef&)> is_called;
};

// Returns a spec of one file in block style, in which paths are absolute. Texts keep their ${params}. Each line ends
// with a comment that says where it comes from: "# nn.yaml:41", "# --set", "# default", and what a text with params
// stands for. A printed spec prints to equal bytes but for comments, and makes the same graph.
std::string PrintSpec(const PrintedSpec& spec);

}  // namespace dfrun

#endif  // DFRUN_SRC_SPEC_SPEC_PRINTER_H_
