// The lines in which two specs differ.
#ifndef DFRUN_SRC_RUNS_SPEC_DIFFERENCES_H_
#define DFRUN_SRC_RUNS_SPEC_DIFFERENCES_H_

#include <optional>
#include <string>
#include <vector>

#include "src/runs/spec_lines.h"

namespace dfrun {

struct SpecDifference {
  std::string path;
  std::optional<SpecLine> a;  // nothing: the spec has no such line
  std::optional<SpecLine> b;
};

// Lines whose texts differ, in the order of `a`, then those that only `b` has. Where a line comes from does not count,
// and neither does the order of the lines. A line with a param is equal to itself whatever the param's value is: that
// is a line of its own. Thread safety: any thread.
std::vector<SpecDifference> CompareSpecs(const std::vector<SpecLine>& a, const std::vector<SpecLine>& b);

}  // namespace dfrun

#endif  // DFRUN_SRC_RUNS_SPEC_DIFFERENCES_H_
