#include "jobs/commands/list_units.h"

#include "src/executor/capture/unit_listing.h"
#include "src/framework/kernel/kernel_registry.h"

namespace dfrun::jobs {

Result<std::string> ListUnits(const std::vector<Partition>& partitions) {
  std::string text;
  for (const Partition& partition : partitions) {
    DF_ASSIGN(const std::vector<std::string> lines,
              ListUnitsOf(partition.graph, partition.device, KernelRegistry::Builtin()));
    for (const std::string& line : lines) text += StrCat("  ", line, "\n");
  }
  return text.empty() ? "  nothing is on a GPU\n" : text;
}

}  // namespace dfrun::jobs
