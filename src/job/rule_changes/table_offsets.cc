// Tables from the lines of text files.
#include <algorithm>

#include "src/job/rule_change.h"

namespace dfrun {
namespace {

bool OffsetsLines(const LoadedSpec& spec, const JobGraph&) {
  return std::any_of(spec.graph.nodes().begin(), spec.graph.nodes().end(), [](const Node& node) {
    if (node.op->name != "InitializeTableFromTextFileV2") return false;
    const Result<int64_t> offset = node.attrs.Get<int64_t>("offset");
    return offset.ok() && *offset != 0;
  });
}

RULE_CHANGE("table_offsets",
            {.says = "the offset of a table's text file is added to the numbers of lines, and left out so many bytes",
             .concerns = &OffsetsLines});

}  // namespace
}  // namespace dfrun
