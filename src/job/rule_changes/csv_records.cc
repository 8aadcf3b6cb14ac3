// Records of csv files that are left out.
#include <algorithm>

#include "src/job/rule_change.h"

namespace dfrun {
namespace {

bool LeavesOutCsvRecords(const LoadedSpec& spec, const JobGraph&) {
  return std::any_of(spec.job.inputs.begin(), spec.job.inputs.end(),
                     [](const InputSpec& input) { return input.format == "csv" && input.record_index.skipped > 0; });
}

RULE_CHANGE("csv_records", {.says = "a damaged csv record costs its own lines alone, and took others with it",
                            .concerns = &LeavesOutCsvRecords});

}  // namespace
}  // namespace dfrun
