#include "jobs/commands/list_subgraphs.h"

#include "src/executor/capture/subgraph_listing.h"
#include "src/framework/kernel/kernel_registry.h"

namespace dfrun::jobs {

Result<std::string> ListSubgraphs(const std::vector<Partition>& partitions) {
  std::string text;
  for (const Partition& partition : partitions) {
    DF_ASSIGN(const std::vector<std::string> lines,
              ListSubgraphsOf(partition.graph, partition.device, KernelRegistry::Builtin()));
    for (const std::string& line : lines) text += StrCat("  ", line, "\n");
  }
  return text.empty() ? "  nothing is on a GPU\n" : text;
}

}  // namespace dfrun::jobs
